#include "palimpsest/eval/internal/data_clusters.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/eval/log_setup.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

Json mean_of_file(const std::string& file, const Json& own = Json::object()) {
  Json dataset = file_of_records(file);
  for (const auto& [key, value] : own.items()) dataset[key] = value;
  return {{"handler", "probability"}, {"datasets", {{"D", dataset}}}};
}

const DatasetPlan& spec_of(const LogSetup& setup, const std::string& metric, size_t index = 0) {
  for (const MetricNode& node : setup.plan.graph.nodes) {
    if (node.setting.name == metric) return node.data.at(index).second;
  }
  throw Error("no such metric");
}

TEST(DataClustersTest, BlocksInFileOrder) {
  LogSetup setup({{"p", mean_of_file("retain")}}, {{"cluster_size", 3}});
  setup.add_data("retain", 7);
  const DataClusters clusters(setup.plan.graph, setup.data);
  const DatasetPlan& spec = spec_of(setup, "p");
  EXPECT_EQ(clusters.of(spec, "0"), clusters.of(spec, "2"));
  EXPECT_NE(clusters.of(spec, "2"), clusters.of(spec, "3"));
  EXPECT_EQ(clusters.of(spec, "5/1"), clusters.of(spec, "3"));
  EXPECT_NE(clusters.of(spec, "6"), clusters.of(spec, "5"));
  EXPECT_EQ(clusters.of(spec, "9"), -1);
}

// Facts about the world are not grouped by twenty because authors are.
TEST(DataClustersTest, ADataSetMaySayOtherwise) {
  LogSetup setup({{"p", mean_of_file("wf", {{"cluster_size", 1}})}}, {{"cluster_size", 3}});
  setup.add_data("wf", 4);
  const DataClusters clusters(setup.plan.graph, setup.data);
  EXPECT_NE(clusters.of(spec_of(setup, "p"), "0"), clusters.of(spec_of(setup, "p"), "1"));
}

// Metrics over the same file share clusters, whichever answers they look at; another file has its
// own.
TEST(DataClustersTest, ExamplesAreKnownByTheirRecords) {
  Json wrong = mean_of_file("retain");
  wrong["datasets"]["D"]["args"]["answer_key"] = "perturbed_answer";
  LogSetup setup({{"a", mean_of_file("retain")}, {"b", wrong}, {"c", mean_of_file("other")}});
  setup.add_data("retain", 2);
  setup.add_data("other", 2);
  const DataClusters clusters(setup.plan.graph, setup.data);
  EXPECT_EQ(clusters.of(spec_of(setup, "a"), "1"), clusters.of(spec_of(setup, "b"), "1"));
  EXPECT_NE(clusters.of(spec_of(setup, "a"), "1"), clusters.of(spec_of(setup, "c"), "1"));
  EXPECT_EQ(clusters.file_of(spec_of(setup, "a")), clusters.file_of(spec_of(setup, "b")));
  EXPECT_NE(clusters.file_of(spec_of(setup, "a")), clusters.file_of(spec_of(setup, "c")));
}

TEST(DataClustersTest, AKeyGroupsAcrossFiles) {
  LogSetup setup({{"mia_loss", attack_config("mia_loss")}, {"p", mean_of_file("wf")}},
                 {{"cluster_key", "author"}});
  setup.add_data("forget", 4, [](size_t i) { return i < 2 ? "Ann" : "Bob"; });
  setup.add_data("holdout", 4, [](size_t i) { return i < 2 ? "Bob" : "Cem"; });
  setup.add_data("wf", 3);  // without the key: independent
  const DataClusters clusters(setup.plan.graph, setup.data);
  const DatasetPlan& forget = spec_of(setup, "mia_loss", 0);
  const DatasetPlan& holdout = spec_of(setup, "mia_loss", 1);
  EXPECT_EQ(clusters.of(forget, "0"), clusters.of(forget, "1"));
  EXPECT_EQ(clusters.of(forget, "3"), clusters.of(holdout, "0"));
  EXPECT_NE(clusters.of(forget, "3"), clusters.of(holdout, "3"));
  EXPECT_NE(clusters.of(spec_of(setup, "p"), "0"), clusters.of(spec_of(setup, "p"), "1"));
  // Two keys' worth of data are two data sets, and traces carry the key.
  expect_contains(forget.key, "author");
}

TEST(DataClustersTest, AnAttackNeedsTheKey) {
  LogSetup setup({{"mia_loss", attack_config("mia_loss")}}, {{"cluster_key", "author"}});
  setup.add_data("forget", 4, [](size_t) { return "Ann"; });
  setup.add_data("holdout", 4);
  const std::string message = error_of([&] { DataClusters(setup.plan.graph, setup.data); });
  expect_contains(message, "'author'");
  expect_contains(message, "cluster_key");
}

}  // namespace
}  // namespace palimpsest::eval
