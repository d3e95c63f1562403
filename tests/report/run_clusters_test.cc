#include "palimpsest/report/internal/run_clusters.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

using Keys = std::vector<std::string>;

RunClusters read(const char* json) {
  return RunClusters(parse_json(json, "mia.json"), "mia.json");
}

TEST(RunClustersTest, AreThoseOfTheFileForItsSets) {
  const RunClusters clusters = read(R"({"key": "author", "forget": {"0": "a", "1": "a", "2/1": "b"},
      "holdout": {"0": 7}})");
  EXPECT_EQ(clusters.name(), "author");
  EXPECT_EQ(clusters.of("forget", {"0", "1/1", "2/1"}),
            (ClusterByExample{{"0", "a"}, {"1/1", "a"}, {"2/1", "b"}}));
  EXPECT_EQ(clusters.of("holdout", {"0"}), (ClusterByExample{{"0", "7"}}));
  EXPECT_TRUE(clusters.of("forget", {"0", "99"}).empty());  // another set
  EXPECT_TRUE(clusters.of("retain", {"0"}).empty());
}

TEST(RunClustersTest, BlocksAreOfEveryDataSetButThoseWithoutAuthors) {
  for (const RunClusters& clusters : {RunClusters(2), read(R"({"key": "blocks of 2"})")}) {
    EXPECT_EQ(clusters.name(), "blocks of 2");
    const Keys keys = {"0", "0/1", "1", "2"};
    const ClusterByExample blocks = clusters.of("retain", keys);
    EXPECT_EQ(blocks.at("0"), blocks.at("0/1"));
    EXPECT_EQ(blocks.at("0"), blocks.at("1"));
    EXPECT_NE(blocks.at("0"), blocks.at("2"));
    EXPECT_NE(blocks.at("0"), clusters.of("forget", keys).at("0"));
    EXPECT_TRUE(clusters.of("ra", keys).empty());
    EXPECT_TRUE(clusters.of("wf", keys).empty());
  }
}

TEST(RunClustersTest, NoKeyMeansNone) {
  EXPECT_FALSE(RunClusters(0).is_given());
  EXPECT_FALSE(read(R"({"key": null})").is_given());
  EXPECT_FALSE(read("null").is_given());
  expect_contains(error_of([] { read("[]"); }), "mia.json: 'clusters' is not an object");
  expect_contains(error_of([] { read(R"({"key": "a", "forget": [1]})"); }),
                  "'forget' of the clusters is not an object");
}

}  // namespace
}  // namespace palimpsest::report
