#include "palimpsest/stat/internal/clustered_rate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/internal/normal.h"
#include "palimpsest/stat/internal/student_t.h"

namespace palimpsest::stat {
namespace {

TEST(ClusteredRateTest, ClustersOfOneAreClopperAndPearsons) {
  const ClusteredFlags items{{true, false, true, true}, {0, 5, 2, 3}};
  EXPECT_EQ(clustered_rate_interval(items, 0.95), clopper_pearson(3, 4, 0.95));
  EXPECT_NEAR(*share_design_effect(items), 1, 1e-12);
}

TEST(ClusteredRateTest, DesignEffectByHand) {
  // Shares of 1, ½ and 0 in clusters of two; without each ¼, ½, ¾ of the share ½. Its variance is
  // 2/3·(1/16 + 1/16) = 1/12, of six independent items ¼/5.
  const ClusteredFlags items{{true, true, true, false, false, false}, {0, 0, 1, 1, 2, 2}};
  EXPECT_NEAR(*share_design_effect(items), 5.0 / 3, 1e-12);
  const double price = two_sided_t(0.95, 5) / two_sided_t(0.95, 2);
  const double effective = 6 / (5.0 / 3) * price * price;
  const Interval found = clustered_rate_interval(items, 0.95);
  const Interval expected = clopper_pearson_scaled(effective / 2, effective, 0.95);
  EXPECT_NEAR(found.low, expected.low, 1e-12);
  EXPECT_NEAR(found.high, expected.high, 1e-12);
}

TEST(ClusteredRateTest, AlikeClustersGainNothing) {
  // Every cluster has a share of ½: less scatter than chance, which is chance as well.
  const ClusteredFlags items{{true, false, true, false, true, false}, {0, 0, 1, 1, 2, 2}};
  EXPECT_EQ(*share_design_effect(items), 1);
}

TEST(ClusteredRateTest, AShareOfNoneOrAllTakesTheEffectFromElsewhere) {
  const ClusteredFlags none{std::vector<bool>(40, false), [] {
                              std::vector<int64_t> clusters;
                              for (int64_t i = 0; i < 40; ++i) clusters.push_back(i / 4);
                              return clusters;
                            }()};
  EXPECT_FALSE(share_design_effect(none));
  const double price = two_sided_t(0.95, 39) / two_sided_t(0.95, 9);
  // Without any, ten clusters are ten items; less the price of their small number.
  EXPECT_EQ(clustered_rate_interval(none, 0.95),
            clopper_pearson_scaled(0, 10 * price * price, 0.95));
  EXPECT_EQ(clustered_rate_interval(none, 0.95, 2),
            clopper_pearson_scaled(0, 20 * price * price, 0.95));
  EXPECT_EQ(clustered_rate_interval(none, 0.95, 0.5).high,
            clopper_pearson_scaled(0, 40 * price * price, 0.95).high);
}

TEST(ClusteredRateTest, OneClusterIsWorthOneItem) {
  const ClusteredFlags all{std::vector<bool>(9, true), std::vector<int64_t>(9, 0)};
  EXPECT_EQ(clustered_rate_interval(all, 0.95), clopper_pearson(1, 1, 0.95));
  const ClusteredFlags some{{true, true, false}, {1, 1, 1}};
  EXPECT_EQ(*share_design_effect(some), 3);
  EXPECT_EQ(clustered_rate_interval(some, 0.9), clopper_pearson_scaled(2.0 / 3, 1, 0.9));
}

TEST(ClusteredRateTest, ScaledCountsAreTheSameFormula) {
  EXPECT_EQ(clopper_pearson_scaled(8, 10, 0.95), clopper_pearson(8, 10, 0.95));
  EXPECT_EQ(clopper_pearson_scaled(0, 10, 0.95).low, 0);
  EXPECT_EQ(clopper_pearson_scaled(2.5, 2.5, 0.95).high, 1);
  EXPECT_THROW(clopper_pearson_scaled(3, 2, 0.95), Error);
  EXPECT_THROW(clopper_pearson_scaled(1, 2, 1), Error);
}

// Twelve clusters of ten, an intraclass correlation of 0.3: a rate of 0.2 is covered.
TEST(ClusteredRateTest, Covers) {
  constexpr int kRuns = 2000;
  const double threshold = normal_quantile(0.2);
  int covered = 0;
  for (uint64_t run = 0; run < kRuns; ++run) {
    Random random(run);
    ClusteredFlags items;
    for (int64_t g = 0; g < 12; ++g) {
      const double effect = std::sqrt(0.3) * random.normal();
      for (int i = 0; i < 10; ++i) {
        items.flags.push_back(effect + std::sqrt(0.7) * random.normal() < threshold);
        items.clusters.push_back(g);
      }
    }
    covered += clustered_rate_interval(items, 0.95).contains(0.2) ? 1 : 0;
  }
  EXPECT_GE(covered, 0.94 * kRuns);
  EXPECT_LE(covered, 0.99 * kRuns);
}

TEST(ClusteredRateTest, RefusesWhatIsOutOfRange) {
  EXPECT_THROW(clustered_rate_interval({}, 0.95), Error);
  EXPECT_THROW(clustered_rate_interval({{true, false}, {0}}, 0.95), Error);
  EXPECT_THROW(clustered_rate_interval({{true, false}, {0, 0}}, 1), Error);
}

}  // namespace
}  // namespace palimpsest::stat
