#include <gtest/gtest.h>

#include "tests/eval/handler_call.h"

namespace palimpsest::eval {
namespace {

trace::Trace option(const char* question, int64_t number, std::vector<double> logprob) {
  trace::Trace trace{.index = question, .alternative = number};
  trace.num_labels = static_cast<int64_t>(logprob.size());
  trace.logprob = std::move(logprob);
  return trace;
}

TEST(MultipleChoiceHandlerTest, TheLikeliestOptionIsChosen) {
  HandlerCall metric;
  // The second question is answered rightly only if the length of the options counts.
  metric.data[kOnlyData] = {.answers = {0, 1, 1}, .option_bytes = {{1, 1}, {1, 4}, {1, 1}}};
  metric.traces[kOnlyData] = {option("0", 0, {-1, -1}),   option("0", 1, {-3}),
                              option("1", 0, {-2}),       option("1", 1, {-2, -2}),
                              option("2", 0, {-1, -0.5}), option("2", 1, {})};
  const MetricResult result = metric.compute("multiple_choice");
  EXPECT_EQ(field_value(result, 0, "acc"), 1);
  EXPECT_EQ(field_value(result, 1, "acc"), 0);
  EXPECT_EQ(field_value(result, 1, "acc_norm"), 1);
  EXPECT_EQ(field_value(result, 1, "choice"), 0);
  EXPECT_EQ(field_value(result, 1, "choice_norm"), 1);
  EXPECT_EQ(field_value(result, 2, "acc"), 0);  // nothing of the right option was scored
  EXPECT_EQ(std::get<std::vector<Number>>(*result.value_by_index[2].find("logprob")),
            (std::vector<Number>{-1.5, std::nullopt}));
  EXPECT_DOUBLE_EQ(*result.agg_value, 1.0 / 3);
  EXPECT_EQ(result.examples, 3);
  EXPECT_EQ(result.numbers[1].first, "acc_norm");
  EXPECT_DOUBLE_EQ(*result.numbers[1].second, 2.0 / 3);
}

TEST(MultipleChoiceHandlerTest, TheFirstOfEqualOptionsIsChosen) {
  HandlerCall metric;
  metric.data[kOnlyData] = {.answers = {1}, .option_bytes = {{1, 1}}};
  metric.traces[kOnlyData] = {option("0", 0, {-2}), option("0", 1, {-2})};
  EXPECT_EQ(metric.compute("multiple_choice").agg_value, 0);
}

TEST(MultipleChoiceHandlerTest, NeedsOptions) {
  HandlerCall metric;
  metric.data[kOnlyData] = {};
  metric.traces[kOnlyData] = {};
  expect_contains(error_of([&] { metric.compute("multiple_choice"); }),
                  "no options to choose from");
}

}  // namespace
}  // namespace palimpsest::eval
