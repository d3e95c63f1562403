#include "palimpsest/eval/internal/replicates.h"

#include <gtest/gtest.h>

#include <cmath>

namespace palimpsest::eval {
namespace {

constexpr stat::Interval kEverything{-1e300, 1e300};

TEST(ReplicatesTest, AMeanWithoutEachCluster) {
  const std::vector<ClusteredValue> values = {{1, 7, 1}, {2, 7, 1}, {6, 3, 1}};
  const auto mean = mean_replicates(values);
  ASSERT_TRUE(mean);
  EXPECT_DOUBLE_EQ(mean->value, 3);
  EXPECT_DOUBLE_EQ(mean->without.at(7).value, 6);
  EXPECT_DOUBLE_EQ(mean->without.at(3).value, 1.5);
  EXPECT_FALSE(mean_replicates(std::vector<ClusteredValue>{{1, 7, 1}, {2, 7, 1}}));
  EXPECT_FALSE(mean_replicates({}));
}

// Of independent values it is Student's interval: 2 ± 4.3027·(1/√3).
TEST(ReplicatesTest, IndependentValuesGiveStudentsInterval) {
  const auto mean = mean_replicates(std::vector<ClusteredValue>{{1, 0, 1}, {2, 1, 1}, {3, 2, 1}});
  const auto interval = interval_of(*mean, kEverything);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 2 - 4.302653 / std::sqrt(3), 1e-6);
  EXPECT_NEAR(interval->high, 2 + 4.302653 / std::sqrt(3), 1e-6);
  EXPECT_EQ(interval_of(*mean, {0, 3})->low, 0);
  EXPECT_EQ(interval_of(*mean, {0, 3})->high, 3);
}

// Twenty equal answers to one question are one: the interval is that of the two clusters.
TEST(ReplicatesTest, ClustersCountAndNotTheirExamples) {
  std::vector<ClusteredValue> values;
  for (int i = 0; i < 20; ++i) {
    for (int64_t cluster = 0; cluster < 3; ++cluster) {
      values.push_back({static_cast<double>(cluster + 1), cluster, 1});
    }
  }
  const auto interval = interval_of(*mean_replicates(values), kEverything);
  EXPECT_NEAR(interval->low, 2 - 4.302653 / std::sqrt(3), 1e-6);
}

TEST(ReplicatesTest, TheAucWithoutEachCluster) {
  const std::vector<ClusteredValue> positives = {{3, 0, 1}, {1, 1, 1}, {5, 2, 1}};
  const std::vector<ClusteredValue> negatives = {{2, 3, 2}, {0, 4, 2}, {4, 5, 2}};
  const auto all = auc_replicates(positives, negatives);
  ASSERT_TRUE(all);
  EXPECT_DOUBLE_EQ(all->value, 6.0 / 9);
  // Without the positive 1: 3 beats 2 of 3, 5 beats all.
  EXPECT_NEAR(all->without.at(1).value, 5.0 / 6, 1e-12);
  EXPECT_NEAR(all->without.at(5).value, 5.0 / 6, 1e-12);
  EXPECT_EQ(all->without.at(1).files, 1U);
  EXPECT_EQ(all->without.at(5).files, 2U);
  EXPECT_TRUE(clustered_auc_interval(positives, negatives)->contains(6.0 / 9));
}

// A cluster is left out of every part that it is in, at once.
TEST(ReplicatesTest, APartWithoutTheClusterStaysAsItIs) {
  const auto a = mean_replicates(std::vector<ClusteredValue>{{1, 0, 1}, {3, 1, 1}});
  const auto b = mean_replicates(std::vector<ClusteredValue>{{10, 1, 2}, {20, 2, 2}});
  const std::vector<Replicates> parts = {*a, *b};
  const Replicates sum =
      combined(parts, [](std::span<const double> values) { return values[0] + values[1]; });
  EXPECT_DOUBLE_EQ(sum.value, 17);
  EXPECT_DOUBLE_EQ(sum.without.at(0).value, 3 + 15);
  EXPECT_DOUBLE_EQ(sum.without.at(1).value, 1 + 20);
  EXPECT_DOUBLE_EQ(sum.without.at(2).value, 2 + 10);
  EXPECT_EQ(sum.without.at(1).files, 3U);
  // Three strata of one cluster each: nothing to estimate a variance from.
  EXPECT_FALSE(interval_of(sum, kEverything));
}

TEST(ReplicatesTest, WhatDoesNotVaryHasNoInterval) {
  const auto mean = mean_replicates(std::vector<ClusteredValue>{{1, 0, 1}, {1, 1, 1}, {1, 2, 1}});
  EXPECT_FALSE(interval_of(*mean, kEverything));
}

}  // namespace
}  // namespace palimpsest::eval
