#include "palimpsest/stat/clusters.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::stat {
namespace {

TEST(ScoreClustersTest, CountsUpToTheLargestNumberOfBothClasses) {
  EXPECT_EQ(ScoreClusters{}.count(), 0);
  EXPECT_EQ((ScoreClusters{.positives = {0, 0, 1}, .negatives = {2, 1}}).count(), 3);
  EXPECT_EQ((ScoreClusters{.positives = {7}, .negatives = {2}}).count(), 8);
}

TEST(ScoreClustersTest, IndependentItemsAreClustersOfOne) {
  const ScoreClusters clusters = independent_items(2, 3);
  EXPECT_EQ(clusters.positives, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(clusters.negatives, (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(independent_items(0, 0).count(), 0);
}

TEST(ScoreClustersTest, StrataAndCountsTellClustersInBothClassesApart) {
  // 0 and 3 only in the positives, 1 in both, 2 in none, 4 only in the negatives.
  const ScoreClusters clusters{.positives = {0, 0, 1, 3}, .negatives = {4, 1, 1}};
  EXPECT_EQ(strata_of(clusters),
            (std::vector{ClusterStratum::kPositives, ClusterStratum::kBoth, ClusterStratum::kNone,
                         ClusterStratum::kPositives, ClusterStratum::kNegatives}));
  const ClusterCounts counts = count_clusters(clusters);
  EXPECT_EQ(counts.positives, 3);
  EXPECT_EQ(counts.negatives, 2);
  EXPECT_EQ(counts.both, 1);
}

TEST(ScoreClustersTest, RefusesNumbersThatDoNotFitTheScores) {
  const LabelledScores scores{.positives = {1, 2}, .negatives = {0}};
  EXPECT_NO_THROW(require_matching({.positives = {0, 0}, .negatives = {1}}, scores));
  expect_contains(error_of([&] { require_matching({.positives = {0}, .negatives = {1}}, scores); }),
                  "the positives");
  expect_contains(error_of([&] {
                    require_matching({.positives = {0, 1}, .negatives = {}}, scores);
                  }),
                  "the negatives");
  expect_contains(error_of([&] {
                    require_matching({.positives = {0, -1}, .negatives = {1}}, scores);
                  }),
                  "item 1");
}

}  // namespace
}  // namespace palimpsest::stat
