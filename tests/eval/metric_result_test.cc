#include "palimpsest/eval/metric_result.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

TEST(MetricResultTest, OneAnswerStaysANumber) {
  IndexedValues values;
  values.add("0", {{"prob", Number(0.5)}, {"text", "a"}});
  values.add("1", {{"prob", Number()}, {"text", "b"}});
  const auto taken = values.take();
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(std::get<Number>(*taken[0].find("prob")), 0.5);
  EXPECT_EQ(std::get<Number>(*taken[1].find("prob")), std::nullopt);
  EXPECT_EQ(std::get<std::string>(*taken[1].find("text")), "b");
  EXPECT_EQ(taken[0].find("other"), nullptr);
}

// One index with several answers makes lists of all.
TEST(MetricResultTest, SeveralAnswersBecomeLists) {
  IndexedValues values;
  values.add("0", {{"prob", Number(0.5)}, {"text", "a"}});
  values.add("1", {{"prob", Number(0.25)}, {"text", "b"}});
  values.add("0", {{"prob", Number()}, {"text", "c"}});
  const auto taken = values.take();
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(std::get<std::vector<Number>>(*taken[0].find("prob")),
            (std::vector<Number>{0.5, std::nullopt}));
  EXPECT_EQ(std::get<std::vector<std::string>>(*taken[0].find("text")),
            (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(std::get<std::vector<Number>>(*taken[1].find("prob")), (std::vector<Number>{0.25}));
}

TEST(MetricResultTest, MeansLeaveOutTheUndefined) {
  EXPECT_EQ(field_mean(Number(2)), 2);
  EXPECT_EQ(field_mean(std::vector<Number>{1, std::nullopt, 3}), 2);
  EXPECT_EQ(field_mean(std::string("text")), std::nullopt);
  EXPECT_EQ(mean_of(std::vector<Number>{}), std::nullopt);
  EXPECT_EQ(mean_of(std::vector<Number>{std::nullopt}), std::nullopt);
  MetricResult result;
  set_mean(result, std::vector<Number>{0, 1, std::nullopt, 1, 0});
  EXPECT_EQ(result.agg_value, 0.5);
  EXPECT_EQ(result.examples, 4);
  MetricResult nothing;
  set_mean(nothing, {});
  EXPECT_EQ(nothing.agg_value, std::nullopt);
  EXPECT_EQ(nothing.examples, 0);
}

TEST(MetricResultTest, AColumnNamesTheExampleThatLacksIt) {
  const MetricResult result{.value_by_index = {{"0", {{"score", Number(1)}}}, {"7", {}}}};
  const std::string message = error_of([&] { column(result, "score", "forget_quality"); });
  expect_contains(message, "forget_quality");
  expect_contains(message, "example 7");
}

}  // namespace
}  // namespace palimpsest::eval
