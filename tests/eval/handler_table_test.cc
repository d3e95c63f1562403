#include <gtest/gtest.h>

#include <set>

#include "tests/eval/handler_call.h"

namespace palimpsest::eval {
namespace {

// Intervals are drawn from these values, so their mean must be the number.
TEST(HandlerTableTest, TheValuesOfAMeanHaveThatMean) {
  HandlerCall metric(Json::object({{"aggregator", "closer_to_1_better"}}));
  metric.computed("correct", result_of_field("avg_loss", {{1}, {2}, {0.5}}));
  metric.computed("wrong", result_of_field("avg_loss", {{2, 3}, {1, 1}, {4, 1}}));
  const MetricResult ratio = metric.compute("truth_ratio");
  const auto mean_of_averaged = [](const char* name, const MetricSetting& setting,
                                   const MetricResult& result) {
    return mean_of(averaged_values(result, default_handler(name).averaged(setting), name));
  };
  EXPECT_EQ(mean_of_averaged("truth_ratio", metric.setting, ratio), ratio.agg_value);
  HandlerCall traced;
  traced.traces[kOnlyData] = {handled_trace("0", {-1, -3}), handled_trace("1", {-2}),
                              unlabelled_trace("2")};
  for (const char* name : {"probability", "exact_memorization", "extraction_strength"}) {
    const MetricResult result = traced.compute(name);
    EXPECT_EQ(mean_of_averaged(name, traced.setting, result), result.agg_value) << name;
  }
}

// Every handler says how its uncertainty is assessed, in one way.
TEST(HandlerTableTest, EveryHandlerHasOneKindOfInterval) {
  for (const Handler& one : default_handler_table()) {
    const int kinds = (one.is_attack() ? 1 : 0) + (one.averaged != nullptr ? 1 : 0) +
                      (one.combine != nullptr ? 1 : 0) + (one.tests_distribution ? 1 : 0);
    EXPECT_EQ(kinds, 1) << one.name;
  }
}

TEST(HandlerTableTest, UnknownOnesAreNamed) {
  const std::string message =
      error_of([] { find_handler(default_handler_table(), "probabilty", ""); });
  expect_contains(message, "probabilty");
  expect_contains(message, "probability, probability_w_options");
  expect_contains(error_of([] { find_handler(default_handler_table(), "classifier_prob", ""); }),
                  "open-unlearning");
}

// One of them would silently never be used.
TEST(HandlerTableTest, TwoOfOneNameAreRefused) {
  HandlerTable table = default_handler_table();
  table.push_back({.name = "rouge"});
  expect_contains(error_of([&] { find_handler(table, "rouge", "test.yaml"); }),
                  "test.yaml: two metric handlers are called 'rouge'");
  EXPECT_EQ(find_handler(table, "probability", "").name, "probability");
}

// Every row can be listed and computed.
TEST(HandlerTableTest, TheTableIsComplete) {
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
