#include "palimpsest/eval/internal/metric_graph.h"

#include <gtest/gtest.h>

#include "tests/eval/setup.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

MetricGraph read(const Json& metrics) {
  return plan_metrics(read_metrics(value_of(metrics, "metrics"), default_handler_table()),
                      {default_handler_table(), default_dataset_table()});
}

std::vector<std::string> names(const MetricGraph& graph) {
  std::vector<std::string> found;
  for (const MetricNode& node : graph.nodes) found.push_back(node.setting.name);
  return found;
}

Json prob(const char* answer = "answer") {
  return {{"handler", "probability"},
          {"batch_size", 32},
          {"datasets",
           {{"D",
             {{"handler", "QADataset"},
              {"args", {{"hf_args", {{"path", "p"}}}, {"answer_key", answer}}}}}}}};
}

Json with_access(Json metric, const char* key) {
  metric["access_key"] = key;
  return metric;
}

Json truth_ratio() {
  return {{"handler", "truth_ratio"},
          {"aggregator", "true_better"},
          {"pre_compute",
           {{"Para", with_access(prob(), "correct")}, {"Pert", with_access(prob("w"), "wrong")}}}};
}

TEST(MetricGraphTest, EveryMetricStandsAfterWhatItNeeds) {
  const MetricGraph graph = read({{"quality",
                                   {{"handler", "hm_aggregate"},
                                    {"pre_compute", {{"ratio", with_access(truth_ratio(), "x")}}}}},
                                  {"ratio", truth_ratio()},
                                  {"Para", prob()}});
  EXPECT_EQ(names(graph), (std::vector<std::string>{"Para", "Pert", "ratio", "quality"}));
  EXPECT_TRUE(graph.nodes[0].requested);
  EXPECT_FALSE(graph.nodes[1].requested);
  EXPECT_TRUE(graph.nodes[2].requested);
  EXPECT_EQ(graph.nodes[2].pre_compute,
            (std::vector<std::pair<std::string, size_t>>{{"correct", 0}, {"wrong", 1}}));
  EXPECT_EQ(graph.nodes[3].setting.pre_compute, std::vector<std::string>{"x"});
  ASSERT_EQ(graph.nodes[0].data.size(), 1U);
  EXPECT_EQ(graph.nodes[0].data[0].second.name, "D");
}

TEST(MetricGraphTest, ChildrenInheritWhatTheyDoNotSet) {
  Json child = prob();
  child.erase("datasets");
  const MetricGraph graph = read({{"m",
                                   {{"handler", "hm_aggregate"},
                                    {"datasets", prob("other")["datasets"]},
                                    {"pre_compute", {{"c", child}}}}}});
  ASSERT_EQ(graph.nodes[0].data.size(), 1U);
  EXPECT_EQ(graph.nodes[0].data[0].second.args.at("answer_key").as_text(), "other");
}

TEST(MetricGraphTest, AnEntryWithoutHandlerStandsForTheListedMetric) {
  const MetricGraph graph =
      read({{"m", {{"handler", "hm_aggregate"}, {"pre_compute", {{"p", {{"access_key", "a"}}}}}}},
            {"p", prob()}});
  EXPECT_EQ(names(graph), (std::vector<std::string>{"p", "m"}));
  EXPECT_TRUE(graph.nodes[0].requested);
  expect_contains(
      error_of([] {
        read({{"m", {{"handler", "hm_aggregate"}, {"pre_compute", {{"p", Json::object()}}}}}});
      }),
      "'p' has no handler");
}

TEST(MetricGraphTest, TheFirstOfTwoConfigurationsCounts) {
  const MetricGraph graph = read(
      {{"p", prob()}, {"m", {{"handler", "hm_aggregate"}, {"pre_compute", {{"p", prob("w")}}}}}});
  EXPECT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(graph.nodes[0].data[0].second.args.at("answer_key").as_text(), "answer");
}

TEST(MetricGraphTest, CyclesAreNamed) {
  const Json a = {{"handler", "hm_aggregate"}, {"pre_compute", {{"b", Json::object()}}}};
  const Json b = {{"handler", "hm_aggregate"}, {"pre_compute", {{"c", Json::object()}}}};
  const Json c = {{"handler", "hm_aggregate"}, {"pre_compute", {{"b", Json::object()}}}};
  expect_contains(error_of([&] { read({{"a", a}, {"b", b}, {"c", c}}); }), "c → b → c");
}

TEST(MetricGraphTest, DataSetsAreChosenByAccessKey) {
  Json mia = {{"handler", "mia_loss"},
              {"datasets",
               {{"F", with_access(prob()["datasets"]["D"], "forget")},
                {"H", with_access(prob("h")["datasets"]["D"], "holdout")}}}};
  const MetricGraph graph = read({{"mia", mia}});
  ASSERT_EQ(graph.nodes[0].data.size(), 2U);
  EXPECT_EQ(graph.nodes[0].data[1].first, "holdout");
  EXPECT_EQ(graph.nodes[0].data[1].second.name, "H");
  mia["datasets"]["H"]["access_key"] = "hold";
  const std::string message = error_of([&] { read({{"mia", mia}}); });
  expect_contains(message, "'holdout'");
  expect_contains(message, "forget, hold");
  mia["handler"] = "probability";
  expect_contains(error_of([&] { read({{"mia", mia}}); }), "one data set");
}

TEST(MetricGraphTest, CollatorsSayWhatIsMasked) {
  Json metric = prob();
  metric["collators"]["C"] = {{"handler", "DataCollatorForSupervisedDataset"},
                              {"args", {{"padding_side", "left"}, {"index", "index"}}}};
  EXPECT_TRUE(read({{"p", metric}}).nodes[0].masks_padding);
  metric["collators"]["C"]["args"]["attention_mask"] = "full";
  EXPECT_FALSE(read({{"p", metric}}).nodes[0].masks_padding);
  metric["collators"]["C"]["args"]["attention_mask"] = "none";
  expect_contains(error_of([&] { read({{"p", metric}}); }), "ne_pad or full");
  metric["collators"]["C"]["handler"] = "OtherCollator";
  expect_contains(error_of([&] { read({{"p", metric}}); }), "OtherCollator");
}

TEST(MetricGraphTest, ReferenceLogsAreReadOrAbsent) {
  const TempFolder folder;
  folder.write("log.json",
               R"({"ratio": {"agg_value": 0.5, "value_by_index": {"0": {"score": 1}}}})");
  Json metric = {{"handler", "privleak"},
                 {"ref_value", 0.5},
                 {"pre_compute", {{"p", with_access(prob(), "forget")}}},
                 {"reference_logs",
                  {{"retain_model_logs",
                    {{"path", nullptr}, {"include", {{"ratio", {{"access_key", "retain"}}}}}}}}}};
  EXPECT_TRUE(read({{"m", metric}}).nodes[1].setting.reference_logs.empty());
  metric["reference_logs"]["retain_model_logs"]["path"] = (folder.path() / "log.json").string();
  const MetricGraph graph = read({{"m", metric}});
  const auto& logs = graph.nodes[1].setting.reference_logs;
  ASSERT_TRUE(logs.at("retain_model_logs").at("retain"));
  EXPECT_EQ(logs.at("retain_model_logs").at("retain")->agg_value, 0.5);
  metric["reference_logs"]["retain_model_logs"]["include"] = {
      {"other", {{"access_key", "retain"}}}};
  const MetricGraph other = read({{"m", metric}});
  EXPECT_FALSE(other.nodes[1].setting.reference_logs.at("retain_model_logs").at("retain"));
  metric["reference_logs"]["retain_model_logs"]["path"] = "absent.json";
  expect_contains(error_of([&] { read({{"m", metric}}); }), "absent.json");
}

TEST(MetricGraphTest, WhatIsMissingIsNamed) {
  Json metric = prob();
  metric["datasets"]["D"]["args"]["hf_args"]["name"] = "???";
  const std::string message = error_of([&] { read({{"p", metric}}); });
  expect_contains(message, "metrics.p.datasets.D.args.hf_args.name");
  expect_contains(message, "must be given");
  expect_contains(error_of([] { read({{"p", {{"handler", "nothing"}}}}); }), "'nothing'");
  expect_contains(error_of([] { read({{"p", {{"handler", "probability"}}}}); }), "'datasets'");
  metric = prob();
  metric["datasets"]["D"]["args"]["predict_with_generate"] = true;
  expect_contains(error_of([&] { read({{"p", metric}}); }), "predict_with_generate");
}

}  // namespace
}  // namespace palimpsest::eval
