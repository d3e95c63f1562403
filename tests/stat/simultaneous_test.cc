#include "palimpsest/stat/internal/simultaneous.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/internal/normal.h"
#include "palimpsest/stat/internal/student_t.h"
#include "tests/stat/multiple_of_draws.h"
#include "tests/support/expect_error.h"

namespace palimpsest::stat {
namespace {

// ψ of estimates that share the part `correlation` of their variance: [estimate][cluster].
std::vector<std::vector<double>> draw_influence(size_t estimates, size_t clusters,
                                                double correlation) {
  Random random(17);
  std::vector<double> common(clusters);
  for (double& value : common) value = random.normal();
  std::vector<std::vector<double>> influence(estimates, std::vector<double>(clusters));
  for (auto& psi : influence) {
    for (size_t g = 0; g < clusters; ++g) {
      psi[g] = std::sqrt(correlation) * common[g] + std::sqrt(1 - correlation) * random.normal();
    }
  }
  return influence;
}

std::vector<EstimateInfluence> as_estimates(const std::vector<std::vector<double>>& influence,
                                            double degrees) {
  std::vector<EstimateInfluence> estimates;
  for (const auto& psi : influence) estimates.push_back({psi, degrees});
  return estimates;
}

TEST(SimultaneousMultipleTest, OneEstimateGetsStudentsQuantile) {
  const auto influence = draw_influence(1, 10, 0);
  const auto estimates = as_estimates(influence, 7.5);
  EXPECT_EQ(simultaneous_multiple(estimates, {.confidence = 0.97}), two_sided_t(0.97, 7.5));
}

TEST(SimultaneousMultipleTest, CopiesCostNothing) {
  auto influence = draw_influence(3, 10, 0);
  influence[1] = influence[0];
  for (double& psi : influence[1]) psi *= -3;  // neither sign nor scale matters
  influence[2] = influence[0];
  const double t = two_sided_t(0.95, 8);
  const double multiple = simultaneous_multiple(as_estimates(influence, 8));
  EXPECT_GE(multiple, t);
  EXPECT_NEAR(multiple, t, 0.04 * t);  // 20,000 draws know the quantile to 1.3%
}

TEST(SimultaneousMultipleTest, UncorrelatedEstimatesGetSidaksQuantile) {
  std::vector<std::vector<double>> influence(6, std::vector<double>(6));
  for (size_t k = 0; k < 6; ++k) influence[k][k] = 0.1 * static_cast<double>(k + 1);
  const double multiple =
      simultaneous_multiple(as_estimates(influence, 1e9), {.confidence = 0.95, .draws = 200'000});
  // The quantile of 200,000 draws has a standard deviation of 0.3%.
  const double expected = two_sided_z(std::pow(0.95, 1.0 / 6));
  EXPECT_NEAR(multiple, expected, 0.01 * expected);
}

TEST(SimultaneousMultipleTest, LiesBetweenStudentsQuantileAndBonferronis) {
  double before = INFINITY;
  for (const double correlation : {0.0, 0.5, 0.9, 0.99}) {
    const auto influence = draw_influence(10, 400, correlation);
    const double multiple =
        simultaneous_multiple(as_estimates(influence, 38), {.confidence = 0.97, .draws = 50'000});
    EXPECT_GE(multiple, two_sided_t(0.97, 38));
    EXPECT_LE(multiple, 1.01 * two_sided_t(1 - 0.03 / 10, 38));
    EXPECT_LT(multiple, before) << correlation;
    before = multiple;
  }
}

// The draws come from the correlations; drawing a number per cluster must say the same.
TEST(SimultaneousMultipleTest, EqualsDrawsPerCluster) {
  constexpr size_t kDraws = 40'000;
  for (const size_t clusters : {4, 60}) {
    const auto influence = draw_influence(8, clusters, 0.6);
    const auto estimates = as_estimates(influence, 6);
    Random random(3);
    std::vector<std::vector<double>> normals(kDraws, std::vector<double>(clusters));
    std::vector<double> chi_squares(kDraws);
    for (size_t i = 0; i < kDraws; ++i) {
      for (double& value : normals[i]) value = random.normal();
      for (int degree = 0; degree < 6; ++degree) chi_squares[i] += std::pow(random.normal(), 2);
    }
    for (const double confidence : {0.5, 0.9, 0.97}) {
      const double expected = multiple_of_draws(estimates, normals, chi_squares, confidence);
      const double multiple =
          simultaneous_multiple(estimates, {.confidence = confidence, .draws = kDraws, .seed = 5});
      EXPECT_NEAR(multiple, expected, 0.03 * expected) << clusters << ", " << confidence;
    }
  }
}

TEST(SimultaneousMultipleTest, FewDegreesOfFreedomHaveTheirTails) {
  // Below two degrees the chi-square numbers are drawn in another way.
  const auto influence = draw_influence(1, 10, 0);
  auto copies = influence;
  copies.push_back(influence[0]);
  for (const double degrees : {1.2, 2.5, 30.0}) {
    const double t = two_sided_t(0.8, degrees);
    EXPECT_NEAR(
        simultaneous_multiple(as_estimates(copies, degrees), {.confidence = 0.8, .draws = 100'000}),
        t, 0.03 * t);
  }
}

TEST(SimultaneousMultipleTest, TheFewestDegreesOfFreedomCount) {
  const auto influence = draw_influence(2, 30, 0.5);
  const std::vector<EstimateInfluence> mixed = {{influence[0], 40}, {influence[1], 4}};
  const std::vector<EstimateInfluence> fewest = {{influence[0], 4}, {influence[1], 4}};
  EXPECT_EQ(simultaneous_multiple(mixed), simultaneous_multiple(fewest));
}

TEST(SimultaneousMultipleTest, DependsOnTheSeedAndNotOnTheThreads) {
  const auto influence = draw_influence(5, 40, 0.5);
  const auto estimates = as_estimates(influence, 20);
  const double one = simultaneous_multiple(estimates, {.draws = 5001, .threads = 1});
  EXPECT_EQ(simultaneous_multiple(estimates, {.draws = 5001, .threads = 3}), one);
  EXPECT_NE(simultaneous_multiple(estimates, {.draws = 5001, .seed = 1, .threads = 1}), one);
}

TEST(SimultaneousMultipleTest, EstimatesThatDoNotVaryArePassedOver) {
  const auto influence = draw_influence(2, 12, 0.5);
  const std::vector<double> zero(12);
  const std::vector<EstimateInfluence> with = {
      {influence[0], 9}, {zero, 0}, {influence[1], 9}, {zero, 0}};
  EXPECT_EQ(simultaneous_multiple(with), simultaneous_multiple(as_estimates(influence, 9)));
  EXPECT_EQ(simultaneous_multiple(std::vector<EstimateInfluence>{{zero, 0}}), INFINITY);
  EXPECT_EQ(simultaneous_multiple({}), INFINITY);
}

TEST(SimultaneousMultipleTest, RefusesWhatHasNoAnswer) {
  const auto influence = draw_influence(2, 12, 0.5);
  const auto estimates = as_estimates(influence, 9);
  expect_contains(error_of([&] { simultaneous_multiple(estimates, {.confidence = 1}); }),
                  "confidence");
  expect_contains(error_of([&] { simultaneous_multiple(estimates, {.draws = 999}); }), "999 draws");
  const std::vector<double> shorter(11, 1.0);
  const std::vector<EstimateInfluence> uneven = {{influence[0], 9}, {shorter, 9}};
  expect_contains(error_of([&] { simultaneous_multiple(uneven); }), "12 clusters");
  expect_contains(error_of([&] { simultaneous_multiple(as_estimates(influence, 0)); }),
                  "degrees of freedom");
}

// A worked example of the formula that the other tests compare with.
TEST(SimultaneousMultipleTest, GivenDrawsAreUsedAsTheyAre) {
  // se = 5; the draws give |t| = 1, 2 and ½.
  const std::vector<double> psi = {3, 4};
  const std::vector<EstimateInfluence> one = {{psi, 2}};
  const std::vector<std::vector<double>> normals = {{-1, 2}, {0.6, 0.8}, {5, 0}};
  const std::vector<double> chi_squares = {2, 0.5, 72};
  EXPECT_DOUBLE_EQ(multiple_of_draws(one, normals, chi_squares, 0.25), 0.5);
  EXPECT_DOUBLE_EQ(multiple_of_draws(one, normals, chi_squares, 0.5), 1);
  EXPECT_DOUBLE_EQ(multiple_of_draws(one, normals, chi_squares, 0.99), 2);
}

}  // namespace
}  // namespace palimpsest::stat
