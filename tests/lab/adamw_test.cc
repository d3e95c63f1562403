#include "palimpsest/lab/internal/adamw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "palimpsest/lab/internal/tokenizer_files.h"
#include "tests/lab/tiny.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

TEST(AdamWTest, WarmsUpAndFallsAlongACosine) {
  const AdamWOptions options{.learning_rate = 1, .final_share = 0.1, .warmup_share = 0.1};
  EXPECT_DOUBLE_EQ(learning_rate(options, 0, 100), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate(options, 9, 100), 1);
  EXPECT_DOUBLE_EQ(learning_rate(options, 10, 100), 1);
  EXPECT_NEAR(learning_rate(options, 55, 100), 0.55, 1e-12);
  EXPECT_NEAR(learning_rate(options, 99, 100), 0.1, 1e-3);
  EXPECT_DOUBLE_EQ(learning_rate(options, 0, 1), 1);
}

// A tiny model whose weights and gradients are set by hand.
struct Numbers {
  explicit Numbers(float value, float slope = 0) {
    set(values, value);
    set(gradients, slope);
  }
  static void set(const engine::ModelWeights& weights, float value) {
    set_numbers(weights, std::vector<float>(numbers_of(weights).size(), value));
  }

  model::Architecture architecture = tiny_architecture();
  engine::ModelWeights values = engine::initial_weights(architecture, Random(1));
  engine::ModelWeights gradients = engine::zeros_like(values);
};

TEST(AdamWTest, FollowsItsFormula) {
  const Numbers numbers(2, 3);
  const AdamWOptions options{
      .weight_decay = 0.5, .beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8, .max_gradient_norm = 0};
  AdamW optimizer(options, numbers.values, numbers.gradients);
  WorkerPool pool(1);
  const float& matrix = numbers.values.embedding.data()[0];
  const float& norm = numbers.values.final_norm.weight.data()[0];
  // The two moments after one step are g and g², corrected: a step of the rate in g's direction.
  optimizer.step(0.1, pool);
  EXPECT_NEAR(matrix, 2 * (1 - 0.1 * 0.5) - 0.1, 1e-6);
  EXPECT_NEAR(norm, 2 - 0.1, 1e-6);  // not decayed
  Numbers::set(numbers.gradients, -1);
  const float before = norm;
  optimizer.step(0.1, pool);
  const double first = (0.9 * 0.1 * 3 + 0.1 * -1) / (1 - 0.9 * 0.9);
  const double second = (0.99 * 0.01 * 9 + 0.01 * 1) / (1 - 0.99 * 0.99);
  EXPECT_NEAR(norm, before - 0.1 * first / std::sqrt(second), 1e-6);
}

TEST(AdamWTest, ClipsLongGradients) {
  WorkerPool pool(2);
  const auto after = [&](float slope) {
    const Numbers numbers(1);
    AdamW optimizer({.epsilon = 1, .max_gradient_norm = 1}, numbers.values, numbers.gradients);
    numbers.gradients.embedding.data()[3] = slope;
    EXPECT_FLOAT_EQ(static_cast<float>(optimizer.step(0.1, pool)), slope);
    return numbers.values.embedding.data()[3];
  };
  EXPECT_EQ(after(10), after(1));
  EXPECT_NE(after(0.5), after(1));
}

TEST(AdamWTest, ThreadsChangeNothing) {
  const auto after = [](int threads) {
    const Numbers numbers(1);
    WorkerPool pool(threads);
    AdamW optimizer({.max_gradient_norm = 0.1}, numbers.values, numbers.gradients);
    Random random(5);
    std::vector<float> slopes(numbers_of(numbers.gradients).size());
    for (float& slope : slopes) slope = static_cast<float>(random.normal());
    set_numbers(numbers.gradients, slopes);
    optimizer.step(0.1, pool);
    return numbers_of(numbers.values);
  };
  EXPECT_EQ(after(1), after(3));
}

TEST(AdamWTest, WhatIsNotFiniteMovesNothing) {
  const Numbers numbers(1);
  AdamW optimizer({}, numbers.values, numbers.gradients);
  WorkerPool pool(1);
  const std::vector<float> before = numbers_of(numbers.values);
  numbers.gradients.embedding.data()[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(optimizer.step(0.1, pool)));
  EXPECT_EQ(numbers_of(numbers.values), before);
}

TEST(AdamWTest, RefusesOptionsOutOfRange) {
  expect_contains(error_of([] { require_valid({.learning_rate = -1}); }), "learning rate");
  expect_contains(error_of([] { require_valid({.learning_rate = std::nan("")}); }),
                  "learning rate");
  expect_contains(error_of([] { require_valid({.beta2 = 1}); }), "beta2");
  expect_contains(error_of([] { require_valid({.epsilon = 0}); }), "epsilon");
}

}  // namespace
}  // namespace palimpsest::lab
