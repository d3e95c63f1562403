#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/eval/internal/mia_metric.h"
#include "tests/eval/handler_call.h"

namespace palimpsest::eval {
namespace {

TEST(MiaMetricTest, AttacksGiveBothSetsAndTheAuc) {
  HandlerCall metric(Json::object({{"k", 0.5}, {"p", 2}}));
  metric.traces["forget"] = {handled_trace("0", {-1, -1, -9}), handled_trace("1", {-3, -2, -9}),
                             unlabelled_trace("2")};
  metric.traces["holdout"] = {handled_trace("0", {-2, -2, -9}), handled_trace("1", {-4, -4, -9})};
  for (const char* name : {"mia_loss", "mia_min_k", "mia_min_k_plus_plus", "mia_gradnorm"}) {
    const MetricResult result = metric.compute(name);
    ASSERT_TRUE(result.agg_value) << name;
    EXPECT_EQ(result.numbers.at(0).second, result.agg_value) << name;
    ASSERT_TRUE(result.scored) << name;
    EXPECT_EQ("mia_" + result.scored->attack, name);
    EXPECT_EQ(result.scored->name, result.scored->attack);
    EXPECT_EQ(result.scored->auc, result.agg_value) << name;
    EXPECT_EQ(result.scored->forget.keys.list(), (std::vector<std::string>{"0", "1", "2"})) << name;
    EXPECT_EQ(result.scored->forget.scores.size(), 3U) << name;
    EXPECT_TRUE(result.scored->holdout.mean) << name;
    EXPECT_TRUE(default_handler(name).is_attack()) << name;
  }
  const MetricResult loss = metric.compute("mia_loss");
  EXPECT_DOUBLE_EQ(*loss.agg_value, 0.75);
  EXPECT_DOUBLE_EQ(*loss.scored->holdout.scores.at(1), 17.0 / 3);
  EXPECT_EQ(loss.scored->forget.scores.at(2), std::nullopt);
  EXPECT_EQ(loss.scored->forget.undefined, 1);
  EXPECT_EQ(loss.scored->parameters, attack::ParameterValues{});
  // Min-K gives 0 where there is no token.
  const MetricResult min_k = metric.compute("mia_min_k");
  EXPECT_EQ(min_k.scored->forget.scores.at(2), 0);
  EXPECT_EQ(min_k.scored->parameters, (attack::ParameterValues{{"k", 0.5}}));
}

TEST(MiaMetricTest, TheReferenceAttackComparesTwoModels) {
  HandlerCall metric(Json::object({{"reference_model_path", "other"}}));
  metric.traces["forget"] = {handled_trace("0", {-1})};
  metric.traces["holdout"] = {handled_trace("0", {-1})};
  metric.reference_traces["forget"] = {handled_trace("0", {-3})};
  metric.reference_traces["holdout"] = {handled_trace("0", {-0.5})};
  const MetricResult result = metric.compute("mia_reference");
  EXPECT_EQ(result.scored->forget.scores, (attack::ScoreColumn{-2}));
  EXPECT_EQ(result.scored->holdout.scores, (attack::ScoreColumn{0.5}));
  EXPECT_EQ(result.agg_value, 1);
  // What the reference model itself makes of them is kept: it tells whether that model knows them.
  ASSERT_TRUE(result.reference);
  EXPECT_EQ(result.reference->forget.scores, (attack::ScoreColumn{3}));
  EXPECT_EQ(result.reference->holdout.scores, (attack::ScoreColumn{0.5}));
  EXPECT_EQ(default_handler("mia_reference").needs(metric.setting).reference_model, "other");
}

TEST(MiaMetricTest, AnErrorNamesTheModelWhoseTraceLacksSomething) {
  HandlerCall metric(Json::object({{"reference_model_path", "other"}}));
  const trace::Trace bare{.index = "7", .num_labels = 1};
  for (auto* traces : {&metric.traces, &metric.reference_traces}) {
    (*traces)["forget"] = {handled_trace("7", {-1})};
    (*traces)["holdout"] = {handled_trace("7", {-1})};
  }
  metric.reference_traces["holdout"] = {bare};
  expect_contains(error_of([&] { metric.compute("mia_reference"); }),
                  "the reference model's trace of the example '7' lacks 'avg_loss' or 'logprob'");
  metric.traces["holdout"] = {bare};
  expect_contains(error_of([&] { metric.compute("mia_reference"); }),
                  "the trace of the example '7' lacks 'avg_loss' or 'logprob'");
}

// With the parameters of the configuration, whatever the attack.
TEST(MiaMetricTest, EveryAttackIsAMetric) {
  HandlerCall metric;
  metric.traces["forget"] = {handled_trace("0", {-1, -1, -9}, {2, 1, 1}),
                             handled_trace("1", {-3, -2, -9})};
  metric.traces["holdout"] = {handled_trace("0", {-2, -5, -9}),
                              handled_trace("1", {-4, -4, -9}, {2, 2, 1})};
  metric.reference_traces["forget"] = {handled_trace("0", {-3, -1, -9}),
                                       handled_trace("1", {-1, -2, -8})};
  metric.reference_traces["holdout"] = {handled_trace("0", {-2, -2, -9}),
                                        handled_trace("1", {-5, -3, -9})};
  for (attack::Attack attack : attack::default_attack_table()) {
    // Attacks may have parameters of the same name, such as Min-K and SURP.
    Json config = {{"reference_model_path", "other"}};
    for (const attack::AttackParameter& parameter : attack.parameters) {
      config[parameter.name] = parameter.default_value;
      attack.given.emplace_back(parameter.name, parameter.default_value);
    }
    metric.setting = HandlerCall(config).setting;
    const MetricResult result = metric.compute("mia_" + attack.name);
    EXPECT_TRUE(result.agg_value) << attack.name;
    const trace::Trace& reference = metric.reference_traces["holdout"][1];
    EXPECT_EQ(result.scored->holdout.scores.at(1),
              attack.score_of(metric.traces["holdout"][1], &reference, attack.values()))
        << attack.name;
    EXPECT_EQ(
        default_handler("mia_" + attack.name).needs(metric.setting).reference_model.has_value(),
        attack.needs_reference());
  }
}

TEST(MiaMetricTest, ParametersAreThoseThatTheAttackHas) {
  const auto parameters = [](const char* name, const Json& config) {
    return attack_parameters(default_handler(name), HandlerCall(config).setting);
  };
  const Json config = {{"k", 0.4}, {"p", "inf"}, {"reference_model_path", "x"}};
  EXPECT_EQ(parameters("mia_min_k", config), (AttackParameters{{"k", 0.4}}));
  EXPECT_EQ(parameters("mia_gradnorm", config), (AttackParameters{{"p", INFINITY}}));
  EXPECT_TRUE(parameters("mia_loss", config).empty());
  EXPECT_TRUE(parameters("mia_reference", config).empty());
  EXPECT_EQ(attack::with_parameters("mia_min_k", {{"k", 0.4}}), "mia_min_k (k=0.4)");
  EXPECT_EQ(attack::with_parameters("mia_loss", {}), "mia_loss");
}

TEST(MiaMetricTest, ParametersOfAttacksAreChecked) {
  expect_contains(HandlerCall(Json::object({{"k", 1.5}})).needs_error("mia_min_k"), "test.yaml");
  expect_contains(HandlerCall().needs_error("mia_min_k_plus_plus"), "'k'");
  expect_contains(HandlerCall(Json::object({{"p", 3}})).needs_error("mia_gradnorm"), "1, 2 or inf");
  EXPECT_EQ(default_handler("mia_gradnorm")
                .needs(HandlerCall(Json::object({{"p", "inf"}})).setting)
                .gradient_norms,
            std::vector{model::NormOrder::kInfinity});
}

}  // namespace
}  // namespace palimpsest::eval
