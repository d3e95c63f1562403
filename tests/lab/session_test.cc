#include "palimpsest/lab/internal/session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/lab/internal/token_losses.h"
#include "tests/lab/tiny.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

constexpr int64_t kLength = 6;

// Six sequences of tokens that follow from each other.
std::vector<data::Example> sequences() {
  std::vector<data::Example> examples(6);
  for (int64_t i = 0; i < 6; ++i) {
    for (int64_t t = 0; t < kLength; ++t) {
      examples[static_cast<size_t>(i)].ids.push_back(10 * i + t);
      examples[static_cast<size_t>(i)].labels.push_back(10 * i + t);
    }
  }
  return examples;
}

class SessionTest : public testing::Test {
 protected:
  double step(double rate, double weight = 1) {
    return session_.step(rate, [&] {
      return weight * total_of(session_.trainer().accumulate(
                          batch_.sequences, {.weights = even_weights(batch_, weight)}));
    });
  }
  std::vector<float> values() { return numbers_of(session_.trainer().weights()); }

  TempFolder folder_;
  model::Architecture architecture_ = tiny_architecture();
  ModelTexts texts_{.config = "{}", .tokenizer = folder_.path()};
  WorkerPool pool_{2};
  Batch batch_ = make_batch(sequences(), {0, 1, 2, 3, 4, 5});
  Session session_{architecture_, engine::initial_weights(architecture_, Random(3)),
                   texts_,        {},
                   pool_,         {.out = folder_.path() / "model"}};
};

TEST_F(SessionTest, AStepReturnsTheLossBeforeIt) {
  double before = 0;
  for (const auto& sequence : session_.trainer().log_probabilities(batch_.sequences)) {
    for (const double value : sequence) before -= value;
  }
  EXPECT_NEAR(step(0), before, 1e-3);
  // Thirty tokens of which nothing is known yet.
  EXPECT_NEAR(before, 30 * std::log(static_cast<double>(min_vocab_size())), 3);
}

TEST_F(SessionTest, StepsLowerTheLoss) {
  const double first = step(1e-2);
  double last = first;
  for (int i = 0; i < 60; ++i) last = step(1e-2);
  EXPECT_LT(last, first / 10);
}

TEST_F(SessionTest, TheFirstStepMovesEverythingByTheRate) {
  const std::vector<float> before = values();
  const double first = step(1e-4);
  const std::vector<float> after = values();
  double moved = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    moved = std::max(moved, std::abs(static_cast<double>(after[i] - before[i])));
  }
  EXPECT_GT(moved, 5e-5);
  EXPECT_LT(moved, 2e-4);
  EXPECT_LT(step(0), first);
}

TEST_F(SessionTest, WhatIsNotFiniteStopsAndKeepsTheLastGoodModel) {
  step(1e-2);
  step(1e-2);
  const std::vector<float> before = values();
  const std::string message =
      error_of([&] { step(1e-2, std::numeric_limits<double>::quiet_NaN()); });
  expect_contains(message, "the loss of step 3 is not finite");
  expect_contains(message, "model.last-good");
  EXPECT_EQ(values(), before);
  const std::filesystem::path kept = folder_.path() / "model.last-good";
  EXPECT_EQ(numbers_of(read_weights(kept, architecture_, pool_)), before);
}

TEST_F(SessionTest, TheLastGoodModelReplacesNothing) {
  const std::filesystem::path kept = folder_.path() / "model.last-good";
  std::filesystem::create_directories(kept);
  folder_.write("model.last-good/config.json", "of somebody else");
  std::filesystem::create_symlink("nowhere", folder_.path() / "model.last-good.1");
  step(1e-2);
  const std::vector<float> before = values();
  expect_contains(error_of([&] { step(1e-2, std::numeric_limits<double>::quiet_NaN()); }),
                  "model.last-good.2");
  EXPECT_EQ(folder_.read("model.last-good/config.json"), "of somebody else");
  EXPECT_EQ(numbers_of(read_weights(folder_.path() / "model.last-good.2", architecture_, pool_)),
            before);
}

TEST_F(SessionTest, AFailureIsPassedOn) {
  expect_contains(error_of([&] {
                    session_.step(1e-2,
                                  []() -> double { throw Error("this batch cannot be used"); });
                  }),
                  "this batch");
}

}  // namespace
}  // namespace palimpsest::lab
