#include <gtest/gtest.h>

#include "tests/eval/handler_call.h"
#include "tests/support/threads_used.h"

namespace palimpsest::eval {
namespace {

TEST(RougeHandlerTest, RougeUsesAsManyThreadsAsItMay) {
  const HandlerCall metric(Json{{"rouge_type", "rougeL_recall"}});
  std::vector<GeneratedText> texts;
  for (int i = 0; i < 6; ++i) {
    texts.push_back({std::to_string(i), "where?", "in a small town", "in a town"});
  }
  MetricInput input{.setting = metric.setting};
  input.generations[kOnlyData] = &texts;
  for (const int threads : {1, 3}) {
    input.threads = threads;
    MetricResult result;
    EXPECT_EQ(threads_used([&] { result = default_handler("rouge").compute(input); }), threads);
    EXPECT_EQ(result.agg_value, 0.75);
    expect_mean_of_averaged("rouge", metric.setting, result);
  }
}

TEST(RougeHandlerTest, TheKindOfRougeIsChecked) {
  expect_contains(HandlerCall(Json::object({{"rouge_type", "bleu"}})).needs_error("rouge"),
                  "rougeL_recall");
}

}  // namespace
}  // namespace palimpsest::eval
