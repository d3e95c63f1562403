#include "palimpsest/eval/internal/retrained_models.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

RetrainedComparison of_numbers(const std::vector<double>& numbers) {
  return compare_with_retrained("mia_loss", numbers.size() - 1, [&](size_t x, size_t y) {
    return std::abs(numbers[x] - numbers[y]);
  });
}

TEST(RetrainedModelsTest, TheFarthestHasTheSmallestPValue) {
  const RetrainedComparison far = of_numbers({0.9, 0.50, 0.52, 0.51});
  EXPECT_FALSE(far.is_within());
  EXPECT_DOUBLE_EQ(far.p_value, 0.25);
  EXPECT_NEAR(far.model, 0.39, 1e-12);
  ASSERT_EQ(far.retrained.size(), 3U);
  EXPECT_NEAR(far.retrained[0], (0.4 + 0.02 + 0.01) / 3, 1e-12);
  const RetrainedModels models{.logs = 3, .comparisons = {far}};
  EXPECT_DOUBLE_EQ(models.smallest_p_value(), 0.25);
  expect_contains(models.sentence(), "more than they differ from each other, by mia_loss");
  expect_contains(models.sentence(), "0.25");
}

TEST(RetrainedModelsTest, OneOfThemIsNoFartherThanTheOthers) {
  const RetrainedComparison near = of_numbers({0.51, 0.50, 0.55, 0.52});
  EXPECT_TRUE(near.is_within());
  EXPECT_DOUBLE_EQ(near.p_value, 1);
  expect_contains((RetrainedModels{.logs = 3, .comparisons = {near}}).sentence(),
                  "no more than they differ from each other");
  // All equal: nobody is farther than anybody.
  EXPECT_DOUBLE_EQ(of_numbers({0.5, 0.5, 0.5}).p_value, 1);
}

// If the model is one of them, every rank is equally likely: p is exact.
TEST(RetrainedModelsTest, ThePValueIsTheRank) {
  const std::vector<double> numbers = {0.1, 0.47, 0.48, 0.52, 0.9};
  double sum = 0;
  for (size_t which = 0; which < numbers.size(); ++which) {
    std::vector<double> turned = numbers;
    std::swap(turned[0], turned[which]);
    sum += of_numbers(turned).p_value <= 0.4 ? 1 : 0;
  }
  EXPECT_EQ(sum, 2);
}

}  // namespace
}  // namespace palimpsest::eval
