#include "palimpsest/lab/adamw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "palimpsest/lab/tokenizer_files.h"
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

TEST(AdamWTest, FollowsItsFormula) {
  const ParameterLayout layout = tiny_layout();
  const AdamWOptions options{
      .weight_decay = 0.5, .beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8, .max_gradient_norm = 0};
  AdamW optimizer(options, layout);
  WorkerPool pool(1);
  std::vector<float> values(static_cast<size_t>(layout.size()), 2);
  std::vector<float> gradient(values.size(), 3);
  // The two moments after one step are g and g², corrected: a step of the rate in g's direction.
  optimizer.step(values, gradient, 0.1, pool);
  const ParameterBlock& matrix = layout.blocks()[0];
  const ParameterBlock& norm = layout.blocks()[1];
  EXPECT_NEAR(values[static_cast<size_t>(matrix.offset)], 2 * (1 - 0.1 * 0.5) - 0.1, 1e-6);
  EXPECT_NEAR(values[static_cast<size_t>(norm.offset)], 2 - 0.1, 1e-6);  // not decayed
  std::fill(gradient.begin(), gradient.end(), -1.0F);
  const float before = values[static_cast<size_t>(norm.offset)];
  optimizer.step(values, gradient, 0.1, pool);
  const double first = (0.9 * 0.1 * 3 + 0.1 * -1) / (1 - 0.9 * 0.9);
  const double second = (0.99 * 0.01 * 9 + 0.01 * 1) / (1 - 0.99 * 0.99);
  EXPECT_NEAR(values[static_cast<size_t>(norm.offset)], before - 0.1 * first / std::sqrt(second),
              1e-6);
}

TEST(AdamWTest, ClipsLongGradients) {
  const ParameterLayout layout = tiny_layout();
  WorkerPool pool(2);
  const auto size = static_cast<size_t>(layout.size());
  const auto after = [&](float scale) {
    AdamW optimizer({.epsilon = 1, .max_gradient_norm = 1}, layout);
    std::vector<float> values(size, 1);
    std::vector<float> gradient(size);
    gradient[3] = scale;
    EXPECT_FLOAT_EQ(static_cast<float>(optimizer.step(values, gradient, 0.1, pool)), scale);
    return values[3];
  };
  EXPECT_EQ(after(10), after(1));
  EXPECT_NE(after(0.5), after(1));
}

TEST(AdamWTest, WhatIsNotFiniteMovesNothing) {
  const ParameterLayout layout = tiny_layout();
  AdamW optimizer({}, layout);
  WorkerPool pool(1);
  std::vector<float> values(static_cast<size_t>(layout.size()), 1);
  const std::vector<float> before = values;
  std::vector<float> gradient(values.size());
  gradient[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(optimizer.step(values, gradient, 0.1, pool)));
  EXPECT_EQ(values, before);
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
