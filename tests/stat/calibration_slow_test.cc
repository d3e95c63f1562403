// Whether intervals cover and bounds hold, by simulation: see calibration.h. All limits are those
// of the design; none is fitted to the outcome. docs/calibration.md has the numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "palimpsest/stat/binomial.h"
#include "tests/stat/calibration.h"

namespace palimpsest::stat {
namespace {

// More simulations than the 2,000 that are asked for: the standard deviation of a coverage is 0.15%
// over 20,000 and 0.35% over 4,000, so that a pass or a failure says something about the interval
// and not about the seed.
constexpr int64_t kDelongSimulations = 20'000;
constexpr int64_t kBcaSimulations = 4'000;

class AucIntervalSlowTest : public testing::TestWithParam<AucCase> {
 protected:
  void expect_coverage(const AucInterval& interval, int64_t simulations) {
    for (const double auc : {0.5, 0.7, 0.85, 0.95}) {
      for (const bool tied : {false, true}) {
        AucCase setting = GetParam();
        setting.auc = auc;
        setting.tied = tied;
        const double coverage = auc_coverage(setting, interval, simulations);
        EXPECT_GE(coverage, 0.93) << setting;
        EXPECT_LE(coverage, 0.97) << setting;
      }
    }
  }
};

TEST_P(AucIntervalSlowTest, DelongCovers93To97Percent) {
  expect_coverage(delong_95, kDelongSimulations);
}

TEST_P(AucIntervalSlowTest, BcaCovers93To97Percent) {
  expect_coverage(bca_95, kBcaSimulations);
}

INSTANTIATE_TEST_SUITE_P(Sizes, AucIntervalSlowTest,
                         testing::Values(AucCase{.positives = 25, .negatives = 25},
                                         AucCase{.positives = 50, .negatives = 50},
                                         AucCase{.positives = 100, .negatives = 40}),
                         [](const auto& test) {
                           return fmt::format("{}And{}", test.param.positives,
                                              test.param.negatives);
                         });

std::vector<double> rates_between(double low, double high) {
  std::vector<double> rates;
  for (int step = 0; step <= 198; ++step) rates.push_back(low + (high - low) * step / 198);
  return rates;
}

TEST(RateIntervalSlowTest, ClopperPearsonCoversAtLeast95PercentEverywhere) {
  std::vector<double> rates = rates_between(0.005, 0.995);
  rates.insert(rates.end(), {1e-6, 1e-4, 1 - 1e-4, 1 - 1e-6});
  for (const int64_t trials : {1, 2, 5, 10, 20, 50, 100, 300, 1000}) {
    const std::vector<double> coverage = rate_coverage(
        trials, rates, [](int64_t k, int64_t n) { return clopper_pearson(k, n, 0.95); });
    for (size_t i = 0; i < rates.size(); ++i) {
      // The sum of a thousand probabilities is good to 1e-11.
      EXPECT_GE(coverage[i], 0.95 - 1e-11) << trials << " trials, rate " << rates[i];
      EXPECT_LE(coverage[i], 1 + 1e-11);
    }
  }
}

TEST(RateIntervalSlowTest, WilsonAndJeffreysCoverAsStatedOnAverage) {
  const std::vector<double> rates = rates_between(0.05, 0.95);
  for (const auto& interval : {wilson, jeffreys}) {
    for (const int64_t trials : {50, 100, 500}) {
      double mean = 0;
      for (const double coverage : rate_coverage(
               trials, rates, [&](int64_t k, int64_t n) { return interval(k, n, 0.95); })) {
        mean += coverage / static_cast<double>(rates.size());
      }
      EXPECT_NEAR(mean, 0.95, 0.01) << trials << " trials";
    }
  }
}

class EpsilonBoundSlowTest : public testing::TestWithParam<BoundCase> {};

TEST_P(EpsilonBoundSlowTest, ExceedsTheTruthInNoMoreRunsThanStated) {
  const BoundRuns runs = GetParam().run();
  EXPECT_LE(runs.share_above_truth(), runs.tolerated_share());
  // And it says something: a bound of 0 would keep every promise.
  EXPECT_GE(runs.mean(), runs.truth / 3);
}

INSTANTIATE_TEST_SUITE_P(All, EpsilonBoundSlowTest, testing::ValuesIn(bound_cases()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return fmt::format("{}{}", name, test.index);
                         });

TEST(BayesianEpsilonSlowTest, MissesOnEachSideAsOftenAsStatedUnderItsPrior) {
  const PriorRuns found = bayesian_under_its_prior();
  const double expected = found.alpha / 2;
  const double three_sigma =
      3 * std::sqrt(expected * (1 - expected) / static_cast<double>(found.runs));
  EXPECT_NEAR(found.share_below, expected, three_sigma);
  EXPECT_NEAR(found.share_above, expected, three_sigma);
}

}  // namespace
}  // namespace palimpsest::stat
