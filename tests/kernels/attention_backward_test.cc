#include "palimpsest/kernels/internal/attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/attention_problem.h"

namespace palimpsest::kernels {
namespace {

struct Gradients {
  std::vector<float> queries, keys, values;
};

Gradients backward(const Problem& problem, const std::vector<float>& out_gradient) {
  AttentionScratch scratch;
  const int64_t width = problem.query_width();
  std::vector<float> out(problem.queries.size());
  std::vector<float> log_sums(problem.count * problem.shape.heads);
  const KeyRange range{problem.keys.data(), problem.values.data(), problem.key_width(),
                       problem.count, problem.hidden.empty() ? nullptr : problem.hidden.data()};
  const AttentionTask task{.queries = problem.queries.data(),
                           .query_stride = width,
                           .out = out.data(),
                           .out_stride = width,
                           .log_sums = log_sums.data(),
                           .count = problem.count,
                           .ranges = {&range, 1}};
  // As in the decoder: the three side by side in one row.
  const int64_t stride = width + 2 * problem.key_width();
  std::vector<float> gradient(problem.count * stride, kUntouched);
  const AttentionGradient target{.out_gradient = out_gradient.data(),
                                 .query_gradient = gradient.data(),
                                 .key_gradient = gradient.data() + width,
                                 .value_gradient = gradient.data() + width + problem.key_width(),
                                 .gradient_stride = stride};
  for (int64_t kv = 0; kv < problem.shape.kv_heads; ++kv) {
    attend(problem.shape, task, kv, kv + 1, scratch);
    attend_backward(problem.shape, task, target, kv, scratch);
  }
  Gradients result;
  for (int64_t i = 0; i < problem.count; ++i) {
    const auto row = gradient.begin() + i * stride;
    result.queries.insert(result.queries.end(), row, row + width);
    result.keys.insert(result.keys.end(), row + width, row + width + problem.key_width());
    result.values.insert(result.values.end(), row + width + problem.key_width(), row + stride);
  }
  return result;
}

// A sample of entries against central differences of the reference in double.
void expect_differences(const Problem& problem, int64_t samples) {
  const std::vector<float> out_gradient = random_numbers(problem.count * problem.query_width(), 7);
  const Gradients found = backward(problem, out_gradient);
  std::vector<double> numbers[3] = {widened(problem.queries), widened(problem.keys),
                                    widened(problem.values)};
  const auto loss = [&] {
    const Attended attended = reference(problem, numbers[0], numbers[1], numbers[2]);
    double sum = 0;
    for (size_t i = 0; i < out_gradient.size(); ++i) {
      sum += static_cast<double>(out_gradient[i]) * attended.out[i];
    }
    return sum;
  };
  const std::vector<float>* gradients[3] = {&found.queries, &found.keys, &found.values};
  Random random(8);
  for (int which = 0; which < 3; ++which) {
    for (int64_t s = 0; s < samples; ++s) {
      const size_t index = random.below(numbers[which].size());
      double& number = numbers[which][index];
      const double before = number;
      constexpr double kStep = 1e-4;
      number = before + kStep;
      const double above = loss();
      number = before - kStep;
      const double below = loss();
      number = before;
      const double expected = (above - below) / (2 * kStep);
      EXPECT_NEAR((*gradients[which])[index], expected, 2e-5 * (1 + std::fabs(expected)))
          << "qkv"[which] << " " << index;
    }
  }
}

TEST(AttendBackwardTest, MatchesDifferences) {
  for (const AttentionShape& shape : kShapes) {
    for (const int64_t count : {1, 2, 5, 17}) {
      SCOPED_TRACE(testing::Message() << shape.heads << " heads, " << count << " queries");
      expect_differences(random_problem(shape, 0, count), 20);
    }
  }
}

TEST(AttendBackwardTest, SeveralBlocks) {
  AttentionShape shape = kWindowed;
  shape.softcap = 3;
  expect_differences(random_problem(shape, 0, 100), 15);
  expect_differences(random_problem(kGrouped, 0, 60), 10);
}

TEST(AttendBackwardTest, HiddenKeys) {
  for (const AttentionShape& shape : kShapes) {
    Problem problem = random_problem(shape, 0, 30);
    problem.hidden.resize(30);
    for (const size_t j : {0, 1, 5, 20, 29}) problem.hidden[j] = 1;
    SCOPED_TRACE(shape.heads);
    expect_differences(problem, 30);
  }
}

// What no query sees gets no gradient.
TEST(AttendBackwardTest, HiddenKeysGetNothing) {
  Problem problem = random_problem(kPlain, 0, 20);
  problem.hidden.resize(20);
  problem.hidden[9] = 1;
  const Gradients found = backward(problem, random_numbers(20 * problem.query_width(), 7));
  for (int64_t c = 0; c < problem.key_width(); ++c) {
    EXPECT_NEAR(found.keys[9 * problem.key_width() + c], 0, 1e-30);
    EXPECT_NEAR(found.values[9 * problem.key_width() + c], 0, 1e-30);
  }
}

}  // namespace
}  // namespace palimpsest::kernels
