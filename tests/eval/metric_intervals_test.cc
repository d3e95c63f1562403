#include "palimpsest/eval/internal/metric_intervals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/eval/evaluate.h"
#include "palimpsest/stat/clustered_mean.h"
#include "tests/eval/log_setup.h"
#include "tests/support/expect_error.h"
#include "tests/support/own_clusters.h"

namespace palimpsest::eval {
namespace {

Json mean_metric(const std::string& file) {
  return {{"handler", "exact_memorization"}, {"datasets", {{"D", file_of_records(file)}}}};
}

MetricResult mean_result(const std::vector<double>& scores) {
  MetricResult result = with_scores_of(scores);
  double sum = 0;
  for (const double score : scores) sum += score;
  result.agg_value = sum / static_cast<double>(scores.size());
  return result;
}

TEST(MetricIntervalsTest, MeansHaveTheirClustersJackknife) {
  const std::vector<double> scores = {0.1, 0.2, 0.9, 0.8, 0.4, 0.5, 0.3, 0.7};
  LogSetup setup({{"em", mean_metric("forget")}}, {{"cluster_size", 2}});
  setup.add_data("forget", 8);
  setup.add("em", mean_result(scores));
  const stat::Interval expected = stat::mean_interval(
      *stat::clustered_mean(scores, std::vector<int64_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_NEAR(setup.conclude().intervals.at("em").low, std::max(0.0, expected.low), 1e-12);
  EXPECT_NEAR(setup.conclude().intervals.at("em").high, std::min(1.0, expected.high), 1e-12);
}

// The utility's interval against the delta method: with h = 2/(1/a + 1/b) of independent means,
// Var h = (h²/2a²)² Var a + (h²/2b²)² Var b.
TEST(MetricIntervalsTest, CompositesLeaveAClusterOutOfAllParts) {
  const Json parts = {{"a", mean_metric("one")}, {"b", mean_metric("two")}};
  LogSetup setup({{"utility", {{"handler", "hm_aggregate"}, {"pre_compute", parts}}}},
                 Json::object());
  Random random(3);
  std::vector<double> one;
  std::vector<double> two;
  for (int i = 0; i < 400; ++i) {
    one.push_back(random.uniform());
    two.push_back(0.5 + 0.5 * random.uniform());
  }
  setup.add_data("one", 400);
  setup.add_data("two", 400);
  setup.add("a", mean_result(one));
  setup.add("b", mean_result(two));
  const double a = *setup.log["a"].agg_value;
  const double b = *setup.log["b"].agg_value;
  const double h = 2 / (1 / a + 1 / b);
  MetricResult utility;
  utility.agg_value = h;
  setup.add("utility", utility);
  const double da =
      h * h / (2 * a * a) * std::sqrt(stat::clustered_mean(one, own_clusters(one))->variance);
  const double db =
      h * h / (2 * b * b) * std::sqrt(stat::clustered_mean(two, own_clusters(two))->variance);
  const stat::Interval interval = setup.conclude().intervals.at("utility");
  EXPECT_NEAR((interval.high - interval.low) / 2, 1.965 * std::hypot(da, db), 2e-4);
  EXPECT_NEAR((interval.high + interval.low) / 2, h, 1e-9);
}

Json retained_by(const Json& handler_part, const std::string& name, const std::string& handler) {
  Json part = handler_part;
  part["access_key"] = "forget";
  return {{"handler", handler},
          {"ref_value", 0.5},
          {"pre_compute", {{name, part}}},
          {"reference_logs",
           {{"retain_model_logs",
             {{"path", nullptr}, {"include", {{name, {{"access_key", "retain"}}}}}}}}}};
}

// The log of another program may lack most of the examples from which its number came.
TEST(MetricIntervalsTest, MissingValuesOfTheRetainModelAreNoted) {
  const auto notes_with = [](const MetricResult& retain, const Json& settings) {
    LogSetup setup =
        audited({{"privleak", retained_by(attack_config("mia_loss"), "mia_loss", "privleak")}},
                settings, {.seed = 14, .shift = 1});
    setup.add("privleak", {.agg_value = 1});
    for (MetricNode& node : setup.plan.graph.nodes) {
      if (node.setting.name == "privleak")
        node.setting.reference_logs["retain_model_logs"]["retain"] = retain;
    }
    return setup.conclude().notes;
  };
  const Json independent = Json::object();
  const MetricResult whole = ScoreMaker{.seed = 15, .shift = 0}.attack(200);
  EXPECT_FALSE(any_contains(notes_with(whole, independent), "privleak"));
  MetricResult part = whole;
  for (size_t i = 3; i < 200; ++i) part.scored->forget.scores[i].reset();
  EXPECT_TRUE(any_contains(notes_with(part, independent),
                           "privleak: the log of the retain model has no value of mia_loss for 197 "
                           "of 400 examples: the interval compares the models on different"));
  // All forget scores that are there belong to one cluster, so none can be left out.
  EXPECT_TRUE(any_contains(notes_with(part, {{"cluster_size", 10}}), "number as exact"));
  EXPECT_TRUE(any_contains(notes_with({.agg_value = whole.agg_value}, independent), "as exact"));
}

// The retain model's own uncertainty counts where its examples are known, and cancels where both
// models find the same examples hard.
TEST(MetricIntervalsTest, PrivleakComparesOnTheSameClusters) {
  LogSetup setup =
      audited({{"privleak", retained_by(attack_config("mia_loss"), "mia_loss", "privleak")}},
              Json::object(), {.seed = 14, .shift = 1});
  MetricResult value;
  value.agg_value = 1;
  setup.add("privleak", value);
  const stat::Interval fixed = setup.conclude().intervals.at("privleak");
  EXPECT_GT(fixed.high - fixed.low, 1);
  for (MetricNode& node : setup.plan.graph.nodes) {
    if (node.setting.name != "privleak") continue;
    node.setting.reference_logs["retain_model_logs"]["retain"] = setup.log.at("mia_loss");
  }
  // The same scores: no difference whatever is left out.
  EXPECT_FALSE(setup.conclude().intervals.contains("privleak"));
  for (MetricNode& node : setup.plan.graph.nodes) {
    if (node.setting.name != "privleak") continue;
    node.setting.reference_logs["retain_model_logs"]["retain"] =
        ScoreMaker{.seed = 15, .shift = 0}.attack(200);
  }
  const stat::Interval both = setup.conclude().intervals.at("privleak");
  EXPECT_LT(both.high, 0);  // plainly remembered: AUC near 0.76 against 0.5
  EXPECT_GE(both.low, -100);
}

TEST(MetricIntervalsTest, ForgetQualityHasAnEffectBesideIt) {
  LogSetup setup({{"quality", retained_by(mean_metric("forget"), "ratio", "ks_test")}},
                 {{"cluster_size", 2}});
  setup.add_data("forget", 8);
  const std::vector<double> ours = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<double> theirs = {0, 1, 3, 3, 4, 4, 6, 6};
  setup.add("ratio", mean_result(ours));
  setup.add("quality", {.agg_value = 0.9});
  EXPECT_TRUE(setup.conclude().quality.empty());  // no retain log
  for (MetricNode& node : setup.plan.graph.nodes) {
    if (node.setting.name != "quality") continue;
    node.setting.reference_logs["retain_model_logs"]["retain"] = mean_result(theirs);
  }
  const ForgetQuality found = setup.conclude().quality.at("quality");
  EXPECT_DOUBLE_EQ(found.mean_difference, 9.0 / 8);
  EXPECT_DOUBLE_EQ(found.ks_distance, 0.25);
  EXPECT_EQ(found.examples, 8);
  const std::vector<double> differences = {1, 1, 0, 1, 1, 2, 1, 2};
  const stat::Interval expected = stat::mean_interval(
      *stat::clustered_mean(differences, std::vector<int64_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  ASSERT_TRUE(found.interval);
  EXPECT_NEAR(found.interval->low, expected.low, 1e-12);
  EXPECT_NEAR(found.interval->high, expected.high, 1e-12);
}

TEST(MetricIntervalsTest, SeveralRetrainedModelsAreTheNull) {
  Json metrics = attacks({"mia_loss"});
  metrics["quality"] = retained_by(mean_metric("forget"), "ratio", "ks_test");
  metrics["privleak"] = retained_by(attack_config("mia_zlib"), "mia_zlib", "privleak");
  LogSetup setup = audited(metrics, Json::object(), {.seed = 16, .shift = 2});
  setup.add("ratio", mean_result(ScoreMaker{.seed = 17, .shift = 2}.forget(200)));
  setup.add("quality", {.agg_value = 0.9});
  setup.add("privleak", {.agg_value = -90});
  const auto retrained = [&](uint64_t seed) {
    const ScoreMaker maker{.seed = seed};
    return setup.retain_log("R", {{"mia_loss", maker.attack(200)},
                                  {"mia_zlib", maker.attack(200)},
                                  {"ratio", mean_result(maker.forget(200))}});
  };
  setup.plan.retain_logs = {retrained(18)};
  EXPECT_FALSE(setup.conclude().retrained);  // one tells nothing of this kind
  setup.plan.retain_logs = {retrained(18), retrained(19), retrained(20)};
  const Conclusions found = setup.conclude();
  ASSERT_TRUE(found.retrained);
  EXPECT_EQ(found.retrained->logs, 3);
  std::vector<std::string> compared;
  for (const RetrainedComparison& one : found.retrained->comparisons) {
    compared.push_back(one.metric);
    EXPECT_FALSE(one.is_within()) << one.metric;
    EXPECT_DOUBLE_EQ(one.p_value, 0.25) << one.metric;
  }
  EXPECT_EQ(compared, (std::vector<std::string>{"quality", "privleak", "mia_loss"}));
  Evaluation evaluation;
  evaluation.run.retrained = found.retrained;
  const std::string text = conclusions_text(evaluation);
  expect_contains(text, "retrained ones");
  expect_contains(text, "more than they differ");
  expect_contains(found.retrained->sentence(), "by quality, privleak, mia_loss;");
}

}  // namespace
}  // namespace palimpsest::eval
