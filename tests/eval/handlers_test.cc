#include "palimpsest/eval/handler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "palimpsest/eval/internal/mia_metric.h"
#include "palimpsest/stat/kolmogorov_smirnov.h"
#include "tests/eval/setup.h"
#include "tests/support/expect_error.h"
#include "tests/support/threads_used.h"

namespace palimpsest::eval {
namespace {

const Handler& handler(const std::string& name) {
  return find_handler(default_handler_table(), name, "test");
}

trace::Trace trace_of(const std::string& index, std::vector<double> logprob,
                      std::vector<int64_t> argmax = {}, std::vector<int64_t> label = {}) {
  trace::Trace trace{.index = index, .text = "text " + index};
  trace.num_labels = static_cast<int64_t>(logprob.size());
  trace.mean = std::vector<double>(logprob.size(), -2);
  trace.var = std::vector<double>(logprob.size(), 1);
  trace.argmax = argmax.empty() ? std::vector<int64_t>(logprob.size(), 1) : std::move(argmax);
  trace.label = label.empty() ? std::vector<int64_t>(logprob.size(), 1) : std::move(label);
  trace.grad_norm["2"] = -logprob.front();
  trace.logprob = std::move(logprob);
  return trace;
}

trace::Trace unlabelled(const std::string& index) {
  return {.index = index,
          .text = "",
          .logprob = std::vector<double>{},
          .mean = std::vector<double>{},
          .var = std::vector<double>{},
          .argmax = std::vector<int64_t>{},
          .label = std::vector<int64_t>{}};
}

// A metric of which everything can be given.
struct Metric {
  MetricSetting setting;
  std::map<std::string, std::vector<trace::Trace>> traces = {};
  std::map<std::string, std::vector<trace::Trace>> reference_traces = {};
  std::vector<std::pair<std::string, MetricResult>> pre_compute = {};

  explicit Metric(const Json& config = Json::object())
      : setting{"metric", parameter_of(config), {}, {}} {}

  void computed(const std::string& key, MetricResult result) {
    setting.pre_compute.push_back(key);
    pre_compute.emplace_back(key, std::move(result));
  }

  MetricResult compute(const std::string& name) const {
    handler(name).needs(setting);
    MetricInput input{.setting = setting};
    for (const auto& [key, list] : traces) input.traces[key] = &list;
    for (const auto& [key, list] : reference_traces) input.reference_traces[key] = &list;
    for (const auto& [key, result] : pre_compute) input.pre_compute.emplace_back(key, &result);
    return handler(name).compute(input);
  }

  std::string needs_error(const std::string& name) const {
    return error_of([&] { handler(name).needs(setting); });
  }
};

Number value(const MetricResult& result, size_t index, const char* field) {
  return field_mean(*result.value_by_index.at(index).find(field));
}

MetricResult of_field(const char* field, const std::vector<std::vector<Number>>& values) {
  MetricResult result;
  for (size_t i = 0; i < values.size(); ++i) {
    Field content = values[i].size() == 1 ? Field(values[i][0]) : Field(values[i]);
    result.value_by_index.push_back({std::to_string(i), {{field, content}}});
  }
  return result;
}

TEST(HandlersTest, ProbabilityIsTheExponentOfTheLoss) {
  Metric metric;
  metric.traces[kOnlyData] = {trace_of("0", {-1, -3}), trace_of("1", {-2}), unlabelled("2")};
  const MetricResult result = metric.compute("probability");
  EXPECT_DOUBLE_EQ(*value(result, 0, "avg_loss"), 2);
  EXPECT_DOUBLE_EQ(*value(result, 0, "prob"), std::exp(-2));
  EXPECT_EQ(value(result, 2, "prob"), std::nullopt);
  EXPECT_DOUBLE_EQ(*result.agg_value, std::exp(-2));
  EXPECT_EQ(result.examples, 2);
}

TEST(HandlersTest, AlternativesAreAveragedFirst) {
  Metric metric;
  trace::Trace second = trace_of("0", {-2});
  second.alternative = 1;
  metric.traces[kOnlyData] = {trace_of("0", {-1}), second, trace_of("1", {-3})};
  const MetricResult result = metric.compute("probability");
  EXPECT_EQ(std::get<std::vector<Number>>(*result.value_by_index[0].find("avg_loss")),
            (std::vector<Number>{1, 2}));
  EXPECT_DOUBLE_EQ(*result.agg_value, ((std::exp(-1) + std::exp(-2)) / 2 + std::exp(-3)) / 2);
}

TEST(HandlersTest, MemorizationLooksAtAllButTheLastToken) {
  Metric metric;
  metric.traces[kOnlyData] = {trace_of("0", {-1, -1, -1, -1, -1}, {1, 9, 3, 4, 9}, {1, 2, 3, 4, 5}),
                              trace_of("1", {-1, -1, -1}, {9, 9, 9}, {1, 2, 3}),
                              trace_of("2", {-1, -1}, {1, 9}, {1, 2}),
                              trace_of("3", {-1}, {1}, {1}), unlabelled("4")};
  const MetricResult exact = metric.compute("exact_memorization");
  EXPECT_EQ(value(exact, 0, "score"), 0.75);
  EXPECT_EQ(value(exact, 1, "score"), 0);
  EXPECT_EQ(value(exact, 2, "score"), 1);
  EXPECT_EQ(value(exact, 3, "score"), std::nullopt);
  EXPECT_EQ(value(exact, 4, "score"), std::nullopt);
  EXPECT_DOUBLE_EQ(*exact.agg_value, 1.75 / 3);
  const MetricResult strength = metric.compute("extraction_strength");
  EXPECT_EQ(value(strength, 0, "score"), 0.5);  // from the third on
  EXPECT_EQ(value(strength, 1, "score"), 0.5);  // never: k = n - 1, as published
  EXPECT_EQ(value(strength, 2, "score"), 1);
  EXPECT_EQ(value(strength, 3, "score"), 0);
  EXPECT_EQ(value(strength, 4, "score"), 0);
}

TEST(HandlersTest, ProbabilityWithOptions) {
  Metric metric;
  metric.computed("correct", of_field("prob", {{0.5}, {0.2}, {Number()}}));
  metric.computed("wrong", of_field("prob", {{0.25, 0.25}, {0.1, 0.1}, {0.1, 0.2}}));
  const MetricResult result = metric.compute("probability_w_options");
  EXPECT_NEAR(*value(result, 0, "prob"), 0.5, 1e-9);
  EXPECT_NEAR(*value(result, 1, "prob"), 0.5, 1e-9);
  EXPECT_EQ(value(result, 2, "prob"), std::nullopt);
  EXPECT_NEAR(*result.agg_value, 0.5, 1e-9);
}

TEST(HandlersTest, TruthRatioHasThreeWaysToBeRead) {
  const auto compute = [](const char* aggregator) {
    Metric metric(Json::object({{"aggregator", aggregator}}));
    metric.computed("correct", of_field("avg_loss", {{1}, {2}}));
    metric.computed("wrong", of_field("avg_loss", {{2, 4}, {1, 1}}));
    return metric.compute("truth_ratio");
  };
  const double low = std::exp(-3) / (std::exp(-1) + 1e-10);
  const double high = std::exp(-1) / (std::exp(-2) + 1e-10);
  MetricResult result = compute("closer_to_1_better");
  EXPECT_DOUBLE_EQ(*value(result, 0, "score"), low);
  EXPECT_DOUBLE_EQ(*value(result, 1, "score"), high);
  EXPECT_DOUBLE_EQ(*result.agg_value, (low + 1 / (high + 1e-10)) / 2);
  EXPECT_DOUBLE_EQ(*compute("true_better").agg_value, (1 - low) / 2);
  result = compute("prob_mean");
  const double first = std::exp(-1) / (std::exp(-1) + std::exp(-3) + 1e-10);
  EXPECT_DOUBLE_EQ(*value(result, 0, "score"), first);
  Metric wrong(Json::object({{"aggregator", "median"}}));
  wrong.computed("correct", {});
  wrong.computed("wrong", {});
  expect_contains(wrong.needs_error("truth_ratio"), "closer_to_1_better");
}

TEST(HandlersTest, TheOlderTruthRatio) {
  Metric metric;
  metric.computed("paraphrase", of_field("prob", {{0.5}, {0.0}}));
  metric.computed("perturb", of_field("prob", {{0.2, 0.4}, {0.1, 0.1}}));
  const MetricResult result = metric.compute("truth_ratio");
  EXPECT_DOUBLE_EQ(*value(result, 0, "truth_ratio"), 0.6);
  EXPECT_EQ(value(result, 1, "truth_ratio"), std::nullopt);
  EXPECT_DOUBLE_EQ(*result.agg_value, 0.6);
}

TEST(HandlersTest, PairsMustBeOverTheSameExamples) {
  Metric metric;
  metric.computed("correct", of_field("prob", {{0.5}, {0.2}}));
  metric.computed("wrong", of_field("prob", {{0.5}}));
  expect_contains(error_of([&] { metric.compute("probability_w_options"); }), "same examples");
  Metric none;
  expect_contains(none.needs_error("probability_w_options"), "access_key is 'correct'");
}

TEST(HandlersTest, KsTestComparesWithTheLog) {
  Metric metric;
  metric.computed("forget", of_field("score", {{0.1}, {0.2}, {Number()}, {0.3}}));
  EXPECT_EQ(metric.compute("ks_test").agg_value, std::nullopt);
  metric.setting.reference_logs["retain_model_logs"]["retain"] =
      of_field("score", {{0.25}, {0.4}, {0.5}});
  EXPECT_EQ(metric.compute("ks_test").agg_value,
            stat::ks_two_sample(std::vector{0.1, 0.2, 0.3}, std::vector{0.25, 0.4, 0.5})->p_value);
  metric.setting.reference_logs["retain_model_logs"]["retain"] = std::nullopt;
  expect_contains(metric.needs_error("ks_test"), "reference log");
}

TEST(HandlersTest, RelativeDifferencesFallBackToTheirDefault) {
  Metric metric(Json::object({{"ref_value", 0.5}}));
  metric.computed("forget", {.agg_value = 0.75});
  EXPECT_NEAR(*metric.compute("privleak").agg_value, -50, 1e-6);
  EXPECT_NEAR(*metric.compute("rel_diff").agg_value, 50, 1e-6);
  metric.setting.reference_logs["retain_model_logs"]["retain"] = MetricResult{.agg_value = 0.6};
  EXPECT_NEAR(*metric.compute("privleak").agg_value, (0.25 - 0.4) / 0.4 * 100, 1e-6);
  EXPECT_NEAR(*metric.compute("rel_diff").agg_value, 25, 1e-6);
  Metric bare;
  bare.computed("forget", {.agg_value = 0.75});
  expect_contains(bare.needs_error("privleak"), "ref_value");
}

TEST(HandlersTest, TheHarmonicMeanOfAllParts) {
  Metric metric;
  metric.computed("a", {.agg_value = 1});
  metric.computed("b", {.agg_value = 4});
  EXPECT_DOUBLE_EQ(*metric.compute("hm_aggregate").agg_value, 1.6);
  metric.computed("c", {});
  EXPECT_EQ(metric.compute("hm_aggregate").agg_value, std::nullopt);
  expect_contains(Metric().needs_error("hm_aggregate"), "pre_compute");
}

TEST(HandlersTest, AttacksGiveBothSetsAndTheAuc) {
  Metric metric(Json::object({{"k", 0.5}, {"p", 2}}));
  metric.traces["forget"] = {trace_of("0", {-1, -1, -9}), trace_of("1", {-3, -2, -9}),
                             unlabelled("2")};
  metric.traces["holdout"] = {trace_of("0", {-2, -2, -9}), trace_of("1", {-4, -4, -9})};
  for (const char* name : {"mia_loss", "mia_min_k", "mia_min_k_plus_plus", "mia_gradnorm"}) {
    const MetricResult result = metric.compute(name);
    ASSERT_TRUE(result.agg_value) << name;
    EXPECT_EQ(result.numbers.at(0).second, result.agg_value) << name;
    ASSERT_TRUE(result.scored) << name;
    EXPECT_EQ("mia_" + result.scored->attack, name);
    EXPECT_EQ(result.scored->auc, result.agg_value) << name;
    EXPECT_EQ(result.scored->forget.keys.list(), (std::vector<std::string>{"0", "1", "2"})) << name;
    EXPECT_EQ(result.scored->forget.scores.size(), 3U) << name;
    EXPECT_TRUE(result.scored->holdout.mean) << name;
    EXPECT_TRUE(handler(name).is_attack()) << name;
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

TEST(HandlersTest, TheReferenceAttackComparesTwoModels) {
  Metric metric(Json::object({{"reference_model_path", "other"}}));
  metric.traces["forget"] = {trace_of("0", {-1})};
  metric.traces["holdout"] = {trace_of("0", {-1})};
  metric.reference_traces["forget"] = {trace_of("0", {-3})};
  metric.reference_traces["holdout"] = {trace_of("0", {-0.5})};
  const MetricResult result = metric.compute("mia_reference");
  EXPECT_EQ(result.scored->forget.scores, (attack::ScoreColumn{-2}));
  EXPECT_EQ(result.scored->holdout.scores, (attack::ScoreColumn{0.5}));
  EXPECT_EQ(result.agg_value, 1);
  // What the reference model itself makes of them is kept: it tells whether that model knows them.
  ASSERT_TRUE(result.reference);
  EXPECT_EQ(result.reference->forget.scores, (attack::ScoreColumn{3}));
  EXPECT_EQ(result.reference->holdout.scores, (attack::ScoreColumn{0.5}));
  EXPECT_EQ(handler("mia_reference").needs(metric.setting).reference_model, "other");
}

// With the parameters of the configuration, whatever the attack.
TEST(HandlersTest, EveryAttackIsAMetric) {
  Json config = {{"reference_model_path", "other"}};
  for (const attack::Attack& attack : attack::default_attack_table()) {
    for (const attack::AttackParameter& parameter : attack.parameters)
      config[parameter.name] = parameter.default_value;
  }
  Metric metric(config);
  metric.traces["forget"] = {trace_of("0", {-1, -1, -9}, {2, 1, 1}), trace_of("1", {-3, -2, -9})};
  metric.traces["holdout"] = {trace_of("0", {-2, -5, -9}), trace_of("1", {-4, -4, -9}, {2, 2, 1})};
  metric.reference_traces["forget"] = {trace_of("0", {-3, -1, -9}), trace_of("1", {-1, -2, -8})};
  metric.reference_traces["holdout"] = {trace_of("0", {-2, -2, -9}), trace_of("1", {-5, -3, -9})};
  for (attack::Attack attack : attack::default_attack_table()) {
    const MetricResult result = metric.compute("mia_" + attack.name);
    EXPECT_TRUE(result.agg_value) << attack.name;
    for (attack::AttackParameter& parameter :
         attack.parameters)  // k is another one for Min-K than for SURP
      attack.given.emplace_back(parameter.name, config[parameter.name].get<double>());
    const trace::Trace& reference = metric.reference_traces["holdout"][1];
    EXPECT_EQ(result.scored->holdout.scores.at(1),
              attack.score_of(metric.traces["holdout"][1], &reference, attack.values()))
        << attack.name;
    EXPECT_EQ(handler("mia_" + attack.name).needs(metric.setting).reference_model.has_value(),
              attack.needs_reference());
  }
}

// Intervals are drawn from these values, so their mean must be the number.
TEST(HandlersTest, RougeUsesAsManyThreadsAsItMay) {
  const Metric metric(Json{{"rouge_type", "rougeL_recall"}});
  std::vector<GeneratedText> texts;
  for (int i = 0; i < 6; ++i) {
    texts.push_back({std::to_string(i), "where?", "in a small town", "in a town"});
  }
  MetricInput input{.setting = metric.setting};
  input.generations[kOnlyData] = &texts;
  for (const int threads : {1, 3}) {
    input.threads = threads;
    MetricResult result;
    EXPECT_EQ(threads_used([&] { result = handler("rouge").compute(input); }), threads);
    EXPECT_EQ(result.agg_value, 0.75);
  }
}

TEST(HandlersTest, TheValuesOfAMeanHaveThatMean) {
  Metric metric(Json::object({{"aggregator", "closer_to_1_better"}}));
  metric.computed("correct", of_field("avg_loss", {{1}, {2}, {0.5}}));
  metric.computed("wrong", of_field("avg_loss", {{2, 3}, {1, 1}, {4, 1}}));
  const MetricResult ratio = metric.compute("truth_ratio");
  const auto mean_of_averaged = [](const char* name, const MetricSetting& setting,
                                   const MetricResult& result) {
    return mean_of(averaged_values(result, handler(name).averaged(setting), name));
  };
  EXPECT_EQ(mean_of_averaged("truth_ratio", metric.setting, ratio), ratio.agg_value);
  Metric traced;
  traced.traces[kOnlyData] = {trace_of("0", {-1, -3}), trace_of("1", {-2}), unlabelled("2")};
  for (const char* name : {"probability", "exact_memorization", "extraction_strength"}) {
    const MetricResult result = traced.compute(name);
    EXPECT_EQ(mean_of_averaged(name, traced.setting, result), result.agg_value) << name;
  }
}

// Every handler says how its uncertainty is assessed, in one way.
TEST(HandlersTest, EveryHandlerHasOneKindOfInterval) {
  for (const Handler& one : default_handler_table()) {
    const int kinds = (one.is_attack() ? 1 : 0) + (one.averaged != nullptr ? 1 : 0) +
                      (one.combine != nullptr ? 1 : 0) + (one.tests_distribution ? 1 : 0);
    EXPECT_EQ(kinds, 1) << one.name;
  }
}

TEST(HandlersTest, ParametersAreThoseThatTheAttackHas) {
  const auto parameters = [](const char* name, const Json& config) {
    return attack_parameters(handler(name), Metric(config).setting);
  };
  const Json config = {{"k", 0.4}, {"p", "inf"}, {"reference_model_path", "x"}};
  EXPECT_EQ(parameters("mia_min_k", config), (AttackParameters{{"k", 0.4}}));
  EXPECT_EQ(parameters("mia_gradnorm", config), (AttackParameters{{"p", INFINITY}}));
  EXPECT_TRUE(parameters("mia_loss", config).empty());
  EXPECT_TRUE(parameters("mia_reference", config).empty());
  EXPECT_EQ(attack::with_parameters("mia_min_k", {{"k", 0.4}}), "mia_min_k (k=0.4)");
  EXPECT_EQ(attack::with_parameters("mia_loss", {}), "mia_loss");
}

TEST(HandlersTest, ParametersOfAttacksAreChecked) {
  expect_contains(Metric(Json::object({{"k", 1.5}})).needs_error("mia_min_k"), "test.yaml");
  expect_contains(Metric().needs_error("mia_min_k_plus_plus"), "'k'");
  expect_contains(Metric(Json::object({{"p", 3}})).needs_error("mia_gradnorm"), "1, 2 or inf");
  EXPECT_EQ(
      handler("mia_gradnorm").needs(Metric(Json::object({{"p", "inf"}})).setting).gradient_norms,
      std::vector{model::NormOrder::kInfinity});
  expect_contains(Metric(Json::object({{"rouge_type", "bleu"}})).needs_error("rouge"),
                  "rougeL_recall");
}

TEST(HandlersTest, UnknownOnesAreNamed) {
  const std::string message =
      error_of([] { find_handler(default_handler_table(), "probabilty", ""); });
  expect_contains(message, "probabilty");
  expect_contains(message, "probability, probability_w_options");
  expect_contains(error_of([] { find_handler(default_handler_table(), "classifier_prob", ""); }),
                  "open-unlearning");
}

// One of them would silently never be used.
TEST(HandlersTest, TwoOfOneNameAreRefused) {
  HandlerTable table = default_handler_table();
  table.push_back({.name = "rouge"});
  expect_contains(error_of([&] { find_handler(table, "rouge", "test.yaml"); }),
                  "test.yaml: two metric handlers are called 'rouge'");
  EXPECT_EQ(find_handler(table, "probability", "").name, "probability");
}

// Every row can be listed and computed.
TEST(HandlersTest, TheTableIsComplete) {
  std::set<std::string> names;
  for (const Handler& one : default_handler_table()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_FALSE(one.measures.empty()) << one.name;
    EXPECT_FALSE(one.orientation.empty()) << one.name;
    EXPECT_NE(one.needs, nullptr) << one.name;
    EXPECT_NE(one.compute, nullptr) << one.name;
  }
  // One per attack, after the others.
  const size_t others = names.size() - attack::default_attack_table().size();
  EXPECT_EQ(default_handler_table()[others - 1].attack, "");
  for (size_t i = 0; i < attack::default_attack_table().size(); ++i) {
    const Handler& one = default_handler_table()[others + i];
    EXPECT_EQ(one.attack, attack::default_attack_table()[i].name);
    EXPECT_EQ(one.name, "mia_" + one.attack);
  }
}

}  // namespace
}  // namespace palimpsest::eval
