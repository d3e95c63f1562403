#include "palimpsest/lab/unlearning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/lab/internal/lab_examples.h"
#include "palimpsest/lab/internal/model_folder.h"
#include "palimpsest/lab/internal/unlearn_loss.h"
#include "tests/lab/tiny.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

// One trained model for all tests.
struct Trained {
  TinyData tiny;
  std::filesystem::path model = tiny.path() / "trained";

  Trained() {
    TrainOptions options = tiny.training("trained");
    options.epochs = 60;
    options.optimizer.learning_rate = 1e-2;
    train_model(options);
  }

  UnlearnOptions options(UnlearnMethod method, const std::string& out) const {
    return {.model = model,
            .forget = {tiny.file("forget25")},
            .retain = {tiny.file("retain75")},
            .out = tiny.path() / out,
            .method = method,
            .optimizer = {.learning_rate = 2e-3},
            .epochs = 6,
            .batch_size = 4};
  }
};

const Trained& trained() {
  static const Trained made;
  return made;
}

TEST(UnlearningTest, EveryMethodForgetsAndThoseThatRetainRetain) {
  UnlearnOptions before = trained().options(UnlearnMethod::kGradDiff, "before");
  before.optimizer.learning_rate = 0;
  before.epochs = 1;
  const UnlearnResult old = unlearn_model(before);
  ASSERT_LT(old.forget_loss, 0.5);
  for (const UnlearnMethodInfo& info : unlearn_methods()) {
    const UnlearnResult result =
        unlearn_model(trained().options(info.method, std::string(info.name)));
    EXPECT_GT(result.forget_loss, old.forget_loss + 0.5) << info.name;
    if (info.retains) {
      EXPECT_LT(result.retain_loss, result.forget_loss / 2) << info.name;
    }
    EXPECT_EQ(result.steps, 12) << info.name;
  }
}

TEST(UnlearningTest, ThreadsDoNotChangeAByteAndFinishedWorkIsFound) {
  UnlearnOptions one = trained().options(UnlearnMethod::kNpo, "one");
  one.threads = 1;
  UnlearnOptions three = trained().options(UnlearnMethod::kNpo, "three");
  three.threads = 3;
  unlearn_model(one);
  unlearn_model(three);
  EXPECT_EQ(read_file(one.out / "model.safetensors"), read_file(three.out / "model.safetensors"));
  EXPECT_TRUE(unlearn_model(three).reused);
  three.beta = 0.2;
  EXPECT_FALSE(unlearn_model(three).reused);
}

TEST(UnlearningTest, RefusesBadInput) {
  const auto failure = [&](auto change) {
    UnlearnOptions options = trained().options(UnlearnMethod::kNpo, "refused");
    change(options);
    std::string message = error_of([&] { unlearn_model(options); });
    EXPECT_FALSE(std::filesystem::exists(options.out));
    return message;
  };
  expect_contains(failure([](UnlearnOptions& o) { o.model = "absent"; }), "absent");
  expect_contains(failure([](UnlearnOptions& o) { o.forget.clear(); }), "nothing to forget");
  expect_contains(failure([](UnlearnOptions& o) { o.retain.clear(); }), "examples to retain");
  expect_contains(failure([](UnlearnOptions& o) { o.beta = 0; }), "beta");
  expect_contains(failure([](UnlearnOptions& o) { o.gamma = std::nan(""); }), "gamma");
  expect_contains(failure([](UnlearnOptions& o) { o.batch_size = 0; }), "examples per step");
  UnlearnOptions itself = trained().options(UnlearnMethod::kNpo, "refused");
  itself.out = itself.model / ".";
  expect_contains(error_of([&] { unlearn_model(itself); }), "would replace");
  EXPECT_TRUE(std::filesystem::exists(itself.model / "config.json"));
  expect_contains(error_of([] { unlearn_method("magic"); }), "simnpo");
  EXPECT_EQ(unlearn_method("kl").method, UnlearnMethod::kKl);
}

// The gradient of a method's loss, next to differences of what its formula gives.
class UnlearnLossTest : public testing::Test {
 protected:
  double log_sigmoid(double x) const { return -std::log1p(std::exp(-x)); }

  // log π(y|x) of each example, with the weights moved along `direction_`.
  std::vector<double> sequences(double distance) {
    move(distance);
    std::vector<double> sums;
    for (const auto& sequence : trainer_.log_probabilities(batch_.sequences)) {
      sums.push_back(std::accumulate(sequence.begin(), sequence.end(), 0.0));
    }
    return sums;
  }

  void move(double distance) {
    std::vector<float> numbers = start_;
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] += static_cast<float>(distance * direction_[i]);
    }
    set_numbers(trainer_.weights(), numbers);
  }

  // How fast the loss changes along the direction, by its gradient at `distance`.
  double slope(const UnlearnTerms& terms, double distance) {
    move(0);
    UnlearnLoss loss(terms, trainer_, examples_);
    move(distance);
    trainer_.clear_gradients();
    loss.forget(batch_);
    const std::vector<float> gradient = numbers_of(trainer_.gradients());
    double sum = 0;
    for (size_t i = 0; i < gradient.size(); ++i) {
      sum += static_cast<double>(gradient[i]) * direction_[i];
    }
    return sum;
  }

  // The same from differences of a formula in log π(y|x).
  template <class Formula>
  double difference(Formula formula, double distance) {
    constexpr double kStep = 2e-4;  // short: the loss bends
    return (formula(sequences(distance + kStep)) - formula(sequences(distance - kStep))) /
           (2 * kStep);
  }

  UnlearnLossTest() {
    Random random(3);
    for (double& part : direction_) part = random.normal();
  }

  model::Architecture architecture_ =
      model::read_architecture(read_file(trained().model / "config.json"), "config");
  WorkerPool pool_{1};
  tokenizer::Tokenizer tokenizer_ = tokenizer::Tokenizer::load(trained().model);
  std::vector<data::Example> examples_ = read_examples(std::vector{trained().tiny.file("forget25")},
                                                       trained().model, tokenizer_, architecture_);
  engine::Trainer trainer_{architecture_, read_weights(trained().model, architecture_, pool_),
                           pool_};
  Batch batch_ = make_batch(examples_, {0, 1, 2, 3, 4, 5});
  std::vector<float> start_ = numbers_of(trainer_.weights());
  std::vector<double> direction_ = std::vector<double>(start_.size());
};

constexpr double kAway = 0.01;

TEST_F(UnlearnLossTest, AscentIsMinusTheMeanLoss) {
  const auto formula = [&](const std::vector<double>& sums) {
    return 2 * std::accumulate(sums.begin(), sums.end(), 0.0) /
           static_cast<double>(batch_.num_labels);
  };
  const double expected = difference(formula, kAway);
  EXPECT_NEAR(slope({.method = UnlearnMethod::kGradAscent, .gamma = 2}, kAway), expected,
              2e-2 * std::abs(expected));
}

TEST_F(UnlearnLossTest, NpoComparesWithTheOldModel) {
  const std::vector<double> old = sequences(0);
  const auto formula = [&](const std::vector<double>& sums) {
    double mean = 0;
    for (size_t i = 0; i < sums.size(); ++i) {
      mean += log_sigmoid(-0.5 * (sums[i] - old[i])) / static_cast<double>(sums.size());
    }
    return -2 / 0.5 * mean;
  };
  const double expected = difference(formula, kAway);
  EXPECT_NEAR(slope({.method = UnlearnMethod::kNpo, .beta = 0.5}, kAway), expected,
              2e-2 * std::abs(expected));
}

TEST_F(UnlearnLossTest, SimNpoDividesByTheLength) {
  const auto formula = [&](const std::vector<double>& sums) {
    double mean = 0;
    for (size_t i = 0; i < sums.size(); ++i) {
      const auto length = static_cast<double>(batch_.lengths[i]);
      mean += log_sigmoid(-2.5 * sums[i] / length - 0.3) / static_cast<double>(sums.size());
    }
    return -2 / 2.5 * mean;
  };
  const double expected = difference(formula, kAway);
  EXPECT_NEAR(slope({.method = UnlearnMethod::kSimNpo, .beta = 2.5, .delta = 0.3}, kAway), expected,
              2e-2 * std::abs(expected));
}

TEST_F(UnlearnLossTest, TheDivergenceIsZeroUntilSomethingMoves) {
  UnlearnLoss loss({.method = UnlearnMethod::kKl, .alpha = 3}, trainer_, examples_);
  EXPECT_NEAR(loss.retain(batch_).retain, 0, 1e-3);
  // At the minimum its gradient vanishes, but for rounding.
  double length = 0;
  for (const float part : numbers_of(trainer_.gradients())) {
    length += static_cast<double>(part) * static_cast<double>(part);
  }
  EXPECT_LT(std::sqrt(length), 1e-4);
  const auto divergence = [&](double distance) {
    move(distance);
    return loss.retain(batch_).retain * 3 / static_cast<double>(batch_.num_labels);
  };
  EXPECT_GT(divergence(kAway), 1e-3);
  // And its gradient is that of the divergence.
  const double step = 2e-4;
  const double expected = (divergence(kAway + step) - divergence(kAway - step)) / (2 * step);
  trainer_.clear_gradients();
  divergence(kAway);
  const std::vector<float> gradient = numbers_of(trainer_.gradients());
  double sum = 0;
  for (size_t i = 0; i < gradient.size(); ++i) {
    sum += static_cast<double>(gradient[i]) * direction_[i];
  }
  EXPECT_NEAR(sum, expected, 2e-2 * std::abs(expected));
}

}  // namespace
}  // namespace palimpsest::lab
