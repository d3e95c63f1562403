#include "palimpsest/stat/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/binomial.h"

namespace palimpsest::stat {
namespace {

LabelledScores binormal(uint64_t seed, int64_t m, int64_t n, double shift) {
  Random random(seed);
  LabelledScores scores;
  for (int64_t i = 0; i < m; ++i) scores.positives.push_back(random.normal() + shift);
  for (int64_t i = 0; i < n; ++i) scores.negatives.push_back(std::round(4 * random.normal()) / 4);
  return scores;
}

// The AUC of a resample, the slow way.
ResampledStatistic auc_statistic(const LabelledScores& scores) {
  return [&scores](const Resample& items) {
    LabelledScores drawn;
    for (int64_t i : items[0]) drawn.positives.push_back(scores.positives[static_cast<size_t>(i)]);
    for (int64_t i : items[1]) drawn.negatives.push_back(scores.negatives[static_cast<size_t>(i)]);
    return auc(drawn);
  };
}

TEST(BootstrapTest, FastAucAgreesWithTheGenericBootstrap) {
  const LabelledScores scores = binormal(1, 40, 30, 1);
  const int64_t strata[] = {40, 30};
  for (auto method : {BootstrapMethod::kPercentile, BootstrapMethod::kBca}) {
    const BootstrapOptions options{.resamples = 20'000, .method = method};
    const auto fast = bootstrap_auc(scores, options);
    const auto slow = bootstrap(strata, auc_statistic(scores), options);
    ASSERT_TRUE(fast && slow);
    EXPECT_DOUBLE_EQ(fast->estimate, slow->estimate);
    // Different draws of the same distribution.
    EXPECT_NEAR(fast->interval.low, slow->interval.low, 0.01);
    EXPECT_NEAR(fast->interval.high, slow->interval.high, 0.01);
  }
}

TEST(BootstrapTest, DoesNotDependOnTheNumberOfThreads) {
  const LabelledScores scores = binormal(2, 50, 50, 0.5);
  const auto one = bootstrap_auc(scores, {.threads = 1});
  const auto four = bootstrap_auc(scores, {.threads = 4});
  ASSERT_TRUE(one && four);
  EXPECT_EQ(one->interval, four->interval);
}

// A caller that uses all cores itself asks for one thread: the jackknife of BCa, too, stays on it.
TEST(BootstrapTest, OneThreadMeansTheCallers) {
  const std::vector<int64_t> strata = {40};
  const auto here = std::this_thread::get_id();
  const auto estimate = bootstrap(strata,
                                  [&](const Resample& items) -> std::optional<double> {
                                    EXPECT_EQ(std::this_thread::get_id(), here);
                                    double sum = 0;
                                    for (const int64_t i : items[0])
                                      sum += static_cast<double>(i * i % 17);
                                    return sum / static_cast<double>(items[0].size());
                                  },
                                  {.resamples = 50, .method = BootstrapMethod::kBca, .threads = 1});
  EXPECT_TRUE(estimate.has_value());
}

TEST(BootstrapTest, TheSeedDecides) {
  const LabelledScores scores = binormal(2, 50, 50, 0.5);
  EXPECT_EQ(bootstrap_auc(scores, {.seed = 3})->interval,
            bootstrap_auc(scores, {.seed = 3})->interval);
  EXPECT_NE(bootstrap_auc(scores, {.seed = 3})->interval,
            bootstrap_auc(scores, {.seed = 4})->interval);
}

TEST(BootstrapTest, MeanAgreesWithTheNormalInterval) {
  Random random(5);
  std::vector<double> values;
  double sum = 0;
  for (int i = 0; i < 400; ++i) {
    values.push_back(random.normal());
    sum += values.back();
  }
  const int64_t strata[] = {400};
  const auto result =
      bootstrap(strata,
                [&](const Resample& items) {
                  double total = 0;
                  for (int64_t i : items[0]) total += values[static_cast<size_t>(i)];
                  return std::optional(total / static_cast<double>(items[0].size()));
                },
                {.resamples = 5000});
  ASSERT_TRUE(result);
  EXPECT_NEAR(result->interval.low, sum / 400 - 1.96 / 20, 0.02);
  EXPECT_NEAR(result->interval.high, sum / 400 + 1.96 / 20, 0.02);
}

TEST(BootstrapTest, UndefinedResamplesAreCountedAndLeftOut) {
  const int64_t strata[] = {4};
  const auto result = bootstrap(strata,
                                [](const Resample& items) -> std::optional<double> {
                                  double sum = 0;
                                  for (int64_t i : items[0]) sum += static_cast<double>(i);
                                  if (items[0][0] == 3) return std::nullopt;
                                  return sum;
                                },
                                {.resamples = 1000, .method = BootstrapMethod::kPercentile});
  ASSERT_TRUE(result);
  EXPECT_GT(result->undefined_resamples, 180);
  EXPECT_LT(result->undefined_resamples, 320);
}

TEST(BootstrapTest, DegenerateCases) {
  EXPECT_FALSE(bootstrap_auc({.positives = {1}, .negatives = {0, 1}}, {}));
  EXPECT_FALSE(bootstrap_auc({}, {}));
  const LabelledScores separated{.positives = {3, 4}, .negatives = {1, 2}};
  EXPECT_EQ(bootstrap_auc(separated, {})->interval, separated_auc_interval(1, separated, 0.95));
  const auto constant = bootstrap_auc({.positives = {1, 1}, .negatives = {1, 1}}, {});
  ASSERT_TRUE(constant);
  EXPECT_EQ(constant->interval, (Interval{0.5, 0.5}));
  const int64_t strata[] = {5};
  EXPECT_FALSE(bootstrap(strata, [](const Resample&) { return std::optional<double>(); }, {}));
}

TEST(BootstrapTest, RefusesBadOptions) {
  const LabelledScores scores = binormal(2, 5, 5, 0.5);
  EXPECT_THROW(bootstrap_auc(scores, {.resamples = 0}), Error);
  EXPECT_THROW(bootstrap_auc(scores, {.confidence = 1}), Error);
}

TEST(BootstrapTest, StopsOnRequest) {
  std::stop_source source;
  BootstrapOptions options{.resamples = 1'000'000, .stop = source.get_token()};
  const std::vector<int64_t> strata = {10};
  const ResampledStatistic stops = [&](const Resample&) {
    source.request_stop();
    return std::optional(1.0);
  };
  EXPECT_THROW(bootstrap(strata, stops, options), Stopped);
}

TEST(BootstrapRateTest, AgreesWithTheExactIntervalOnLargeSamples) {
  const auto result = bootstrap_rate(300, 1000, {.resamples = 4000});
  ASSERT_TRUE(result);
  const Interval exact = clopper_pearson(300, 1000, 0.95);
  EXPECT_EQ(result->estimate, 0.3);
  EXPECT_NEAR(result->interval.low, exact.low, 0.006);
  EXPECT_NEAR(result->interval.high, exact.high, 0.006);
}

TEST(BootstrapRateTest, DegenerateRatesAreExact) {
  EXPECT_EQ(bootstrap_rate(0, 50, {})->interval, clopper_pearson(0, 50, 0.95));
  EXPECT_EQ(bootstrap_rate(50, 50, {})->interval, clopper_pearson(50, 50, 0.95));
  EXPECT_FALSE(bootstrap_rate(1, 1, {}));
  EXPECT_THROW(bootstrap_rate(2, 1, {}), Error);
}

TEST(BootstrapTest, IntervalsOfInfiniteResamplesAreNumbers) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> values(99, kInfinity);
  const BootstrapOptions options{.method = BootstrapMethod::kPercentile};
  auto estimate = bootstrap_interval(kInfinity, values, {}, options);
  EXPECT_EQ(estimate->interval, (Interval{kInfinity, kInfinity}));
  std::fill_n(values.begin(), 50, 1.0);
  std::fill_n(values.begin(), 10, -kInfinity);
  estimate = bootstrap_interval(1, values, {}, options);
  EXPECT_EQ(estimate->interval, (Interval{-kInfinity, kInfinity}));
  values.assign(99, 0.0 / 0.0);
  EXPECT_FALSE(bootstrap_interval(1, values, {}, options));
}

}  // namespace
}  // namespace palimpsest::stat
