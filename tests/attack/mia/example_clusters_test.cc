#include "palimpsest/attack/mia/example_clusters.h"

#include <gtest/gtest.h>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "tests/attack/score_sets.h"
#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

using Numbers = std::vector<int64_t>;

TEST(ExampleClustersTest, WithoutAKeyEveryExampleIsItsOwnCluster) {
  TraceScores forget = set_of({1, 2, 3});
  forget.examples[2] = {"1", 1};  // an alternative of the second example
  const ExampleClusters clusters = clusters_of({}, forget, set_of({4}));
  EXPECT_FALSE(clusters.is_given());
  EXPECT_EQ(clusters.forget, (Numbers{0, 1, 1}));
  EXPECT_EQ(clusters.holdout, Numbers{2});  // another "0" than the forget set's
  EXPECT_EQ(clusters.count(), 3);
}

TEST(ExampleClustersTest, BlocksCountExamplesAndNotAlternatives) {
  TraceScores forget = set_of({1, 2, 3, 4});
  forget.examples[1] = {"0", 1};
  const ExampleClusters clusters = clusters_of({.size = 2}, forget, set_of({1, 2, 3}));
  EXPECT_EQ(clusters.name, "blocks of 2");
  EXPECT_EQ(clusters.forget, (Numbers{0, 0, 0, 1}));
  EXPECT_EQ(clusters.holdout, (Numbers{2, 2, 3}));
  EXPECT_EQ(clusters.names, (std::vector<std::string>{"forget 1 to 2", "forget 3 to 4",
                                                      "holdout 1 to 2", "holdout 3 to 4"}));
}

TEST(ExampleClustersTest, EqualValuesOfTheKeyAreOneClusterInBothSets) {
  TraceScores forget = set_of({1, 2});
  TraceScores holdout = set_of({1});
  forget.facts[0].groups["author"] = "a";
  forget.facts[1].groups["author"] = "b";
  holdout.facts[0].groups["author"] = "a";
  const ExampleClusters clusters = clusters_of({.key = "author"}, forget, holdout);
  EXPECT_EQ(clusters.name, "author");
  EXPECT_EQ(clusters.forget, (Numbers{0, 1}));
  EXPECT_EQ(clusters.holdout, Numbers{0});
  EXPECT_EQ(clusters.names, (std::vector<std::string>{"a", "b"}));
}

TEST(ExampleClustersTest, RefusesWhatIsNotThereOrSaidTwice) {
  TraceScores forget = set_of({1, 2});
  forget.facts[0].groups["author"] = "a";
  forget.facts[1].groups["topic"] = "x";
  const std::string message =
      error_of([&] { clusters_of({.key = "author"}, forget, set_of({1})); });
  expect_contains(message, "the forget example '1' has no 'author'");
  expect_contains(message, "one of topic");
  expect_contains(error_of([] { require_valid(ClusterChoice{.size = -1}); }), "at least 1");
  expect_contains(error_of([] { require_valid(ClusterChoice{.key = "a", .size = 2}); }),
                  "one way only");
  expect_contains(error_of([] { require_valid(ClusterChoice{.size = 2, .independent = true}); }),
                  "one way only");
}

TEST(ExampleClustersTest, ScoresKeepTheClustersOfTheirExamples) {
  const ScoreColumn forget = {1, std::nullopt, 3};
  const ScoreColumn holdout = {4, 5};
  const ScoreColumn other_holdout = {std::nullopt, 7};
  const ExampleClusters clusters{.name = "x", .forget = {0, 1, 2}, .holdout = {3, 4}};
  const stat::ClusteredScores all = to_clustered({forget, holdout}, clusters);
  EXPECT_EQ(all.scores.positives, (std::vector<double>{-1, -3}));
  EXPECT_EQ(all.clusters.positives, (Numbers{0, 2}));
  const ScoreColumns other{forget, other_holdout};
  const stat::ClusteredScores common = to_clustered({forget, holdout}, clusters, &other);
  EXPECT_EQ(common.scores.negatives, std::vector<double>{-5});
  EXPECT_EQ(common.clusters.negatives, Numbers{4});
}

}  // namespace
}  // namespace palimpsest::attack
