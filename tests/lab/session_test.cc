#include "palimpsest/lab/session.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/lab/tiny.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

constexpr int64_t kLength = 6;

// Six sequences of tokens that follow from each other.
std::vector<Example> sequences() {
  std::vector<Example> examples(6);
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
  at::Tensor loss(const NetworkTensors& weights, int64_t s) const {
    const Shard& shard = batch_.shards[static_cast<size_t>(s)];
    return -log_probabilities(session_.network().logits(weights, shard), shard).sum();
  }

  double step(double rate) {
    return session_.step(
        std::ssize(batch_.shards),
        [&](const NetworkTensors& weights, int64_t s) { return loss(weights, s); }, optimizer_,
        rate);
  }

  ParameterLayout layout_ = tiny_layout();
  Batch batch_ = make_batch(sequences(), {0, 1, 2, 3, 4, 5});
  Session session_{layout_, layout_.initial(Random(3)), kLength, 2};
  AdamW optimizer_{{}, layout_};
};

TEST_F(SessionTest, AStepReturnsTheLossBeforeIt) {
  std::vector<double> parts(batch_.shards.size());
  session_.evaluate(std::ssize(parts), [&](const NetworkTensors& weights, int64_t s) {
    parts[static_cast<size_t>(s)] = *loss(weights, s).data_ptr<float>();
  });
  double before = 0;
  for (const double part : parts) before += part;
  EXPECT_NEAR(step(0), before, 1e-3);
  // Thirty tokens of which nothing is known yet.
  EXPECT_NEAR(before, 30 * std::log(static_cast<double>(least_vocab_size())), 3);
}

TEST_F(SessionTest, StepsLowerTheLoss) {
  const double first = step(1e-2);
  double last = first;
  for (int i = 0; i < 60; ++i) last = step(1e-2);
  EXPECT_LT(last, first / 10);
}

TEST_F(SessionTest, TheGradientIsThatOfTheLoss) {
  // A step against the gradient, made small: the loss falls by what the gradient promises.
  const std::vector<float> before = session_.values();
  const double first = step(1e-4);
  double moved = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    moved = std::max(moved, std::abs(static_cast<double>(session_.values()[i] - before[i])));
  }
  EXPECT_GT(moved, 5e-5);  // the first step of Adam moves everything by the rate
  EXPECT_LT(moved, 2e-4);
  EXPECT_LT(step(0), first);
}

TEST_F(SessionTest, WhatIsNotFiniteIsAnErrorAndMovesNothing) {
  const std::vector<float> before = session_.values();
  const auto broken = [&](const NetworkTensors& weights, int64_t s) {
    return loss(weights, s) * std::numeric_limits<double>::quiet_NaN();
  };
  expect_contains(error_of([&] { session_.step(1, broken, optimizer_, 1e-2); }),
                  "no longer finite");
  EXPECT_EQ(session_.values(), before);
}

TEST_F(SessionTest, AFailureInAThreadIsPassedOn) {
  const auto failing = [](const NetworkTensors&, int64_t) -> at::Tensor {
    throw Error("this shard cannot be used");
  };
  expect_contains(error_of([&] { session_.step(3, failing, optimizer_, 1e-2); }), "this shard");
}

}  // namespace
}  // namespace palimpsest::lab
