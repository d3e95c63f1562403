#include "palimpsest/stat/clustered_mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "palimpsest/base/random.h"
#include "tests/support/expect_error.h"
#include "tests/support/own_clusters.h"

namespace palimpsest::stat {
namespace {

TEST(ClusteredMeanTest, WithoutClustersItIsStudentsInterval) {
  const std::vector<double> values = {1, 2, 4, 9};
  const auto estimate = clustered_mean(values, own_clusters(values));
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->mean, 4);
  // s² = (9 + 4 + 0 + 25)/3
  EXPECT_NEAR(estimate->variance, 38.0 / 3 / 4, 1e-14);
  EXPECT_NEAR(estimate->degrees_of_freedom, 3, 1e-12);
  const Interval interval = mean_interval(*estimate, 0.9);
  EXPECT_NEAR(interval.high - 4, 2.3533634348018264 * std::sqrt(estimate->variance), 1e-12);
  EXPECT_NEAR(4 - interval.low, interval.high - 4, 1e-12);
}

TEST(ClusteredMeanTest, TheRangeOfAMeanFollowsFromThoseOfItsValues) {
  constexpr double kNoBound = std::numeric_limits<double>::infinity();
  EXPECT_EQ(range_of_mean(0, 1), (Interval{0, 1}));
  EXPECT_EQ(range_of_mean(0.2, 0.3), (Interval{0, 1}));
  EXPECT_EQ(range_of_mean(0, 1.5), (Interval{0, kNoBound}));
  EXPECT_EQ(range_of_mean(-0.1, 0.5), (Interval{-kNoBound, kNoBound}));
  EXPECT_EQ(range_of_mean(-2, 7), (Interval{-kNoBound, kNoBound}));
}

TEST(ClusteredMeanTest, EqualClustersGiveStudentsIntervalOfTheirMeans) {
  const std::vector<double> values = {1, 3, 5, 7, 2, 4};
  const std::vector<int64_t> clusters = {7, 7, -1, -1, 3, 3};  // means 2, 6, 3
  const auto estimate = clustered_mean(values, clusters);
  const auto of_means = clustered_mean(std::vector<double>{2, 6, 3}, std::vector<int64_t>{0, 1, 2});
  ASSERT_TRUE(estimate && of_means);
  EXPECT_NEAR(estimate->mean, of_means->mean, 1e-14);
  EXPECT_NEAR(estimate->variance, of_means->variance, 1e-14);
}

TEST(ClusteredMeanTest, LeavesOutOneClusterAfterTheOther) {
  const std::vector<double> values = {1, 2, 3, 10};
  const std::vector<int64_t> clusters = {0, 1, 0, 2};
  EXPECT_EQ(means_without_each_cluster(values, clusters), (std::vector<double>{6, 14.0 / 3, 2}));
  EXPECT_TRUE(means_without_each_cluster(values, std::vector<int64_t>{5, 5, 5, 5}).empty());
}

TEST(ClusteredMeanTest, IsUndefinedWithoutVariationOrWithOneCluster) {
  const std::vector<double> values = {0.1, 0.1, 0.1};
  EXPECT_FALSE(clustered_mean(values, own_clusters(values)));
  EXPECT_FALSE(clustered_mean(std::vector<double>{1, 2}, std::vector<int64_t>{0, 0}));
  EXPECT_FALSE(clustered_mean(std::vector<double>{}, std::vector<int64_t>{}));
  EXPECT_FALSE(clustered_mean(std::vector<double>{1}, std::vector<int64_t>{0}));
}

TEST(ClusteredMeanTest, RefusesBadInput) {
  expect_contains(error_of([] {
                    clustered_mean(std::vector<double>{1, 2}, std::vector<int64_t>{0});
                  }),
                  "2 values have 1 cluster numbers");
  expect_contains(error_of([] {
                    clustered_mean(std::vector<double>{1, NAN}, std::vector<int64_t>{0, 1});
                  }),
                  "the value 1 of a mean is not a finite number");
}

// Values that share an effect per cluster: intervals that ignore it would cover far too seldom.
TEST(ClusteredMeanTest, CoversTheTruthWhereItemsDepend) {
  constexpr int kRuns = 1000;
  int covered = 0;
  int covered_without = 0;
  for (int run = 0; run < kRuns; ++run) {
    Random random = Random(11).split(static_cast<uint64_t>(run));
    std::vector<double> values;
    std::vector<int64_t> clusters;
    for (int64_t g = 0; g < 12; ++g) {
      const double effect = random.normal();
      const int64_t size = 2 + g % 4 * 4;
      for (int64_t i = 0; i < size; ++i) {
        values.push_back(effect + random.normal());
        clusters.push_back(g);
      }
    }
    covered += mean_interval(*clustered_mean(values, clusters)).contains(0) ? 1 : 0;
    covered_without +=
        mean_interval(*clustered_mean(values, own_clusters(values))).contains(0) ? 1 : 0;
  }
  EXPECT_GE(covered, 925);
  EXPECT_LE(covered, 975);
  EXPECT_LE(covered_without, 800);
}

}  // namespace
}  // namespace palimpsest::stat
