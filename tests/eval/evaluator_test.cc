#include "palimpsest/eval/internal/evaluator.h"

#include <gtest/gtest.h>

#include "tests/eval/setup.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

Json evaluator(const char* handler, const char* folder = "out") {
  return {{"handler", handler},
          {"output_dir", folder},
          {"overwrite", true},
          {"metrics",
           {{"p",
             {{"handler", "probability"},
              {"datasets",
               {{"D", {{"handler", "QADataset"}, {"args", {{"hf_args", {{"path", "x"}}}}}}}}}}}}}};
}

TEST(EvaluatorTest, NamesItsFiles) {
  const auto plans = plans_of({{"tofu", evaluator("TOFUEvaluator")},
                               {"muse", evaluator("MUSEEvaluator")},
                               {"quick", evaluator("Evaluator")}});
  ASSERT_EQ(plans.size(), 3U);
  EXPECT_EQ(plans[0].file("EVAL"), "out/TOFU_EVAL.json");
  EXPECT_EQ(plans[1].file("SUMMARY"), "out/MUSE_SUMMARY.json");
  EXPECT_EQ(plans[2].file("RUN"), "out/QUICK_RUN.json");
  EXPECT_TRUE(plans[0].overwrite);
  EXPECT_EQ(plans[0].requested(), std::vector<std::string>{"p"});
}

TEST(EvaluatorTest, SaysWhatIsNotOffered) {
  expect_contains(error_of([] {
                    plans_of({{"t", evaluator("TOFUEvaluater")}});
                  }),
                  "TOFUEvaluator, MUSEEvaluator, Evaluator");
  const std::string message = error_of([] {
    plans_of({{"lm", {{"handler", "LMEvalEvaluator"}, {"tasks", {"mmlu"}}}}});
  });
  expect_contains(message, "lm-evaluation-harness");
  expect_contains(message, "multiple_choice");
}

TEST(EvaluatorTest, RefusesWhatCannotBeRun) {
  expect_contains(
      error_of([] {
        plans_of({{"a", evaluator("TOFUEvaluator")}, {"b", evaluator("TOFUEvaluator")}});
      }),
      "two evaluators");
  expect_contains(error_of([] {
                    plans_of({{"a", evaluator("TOFUEvaluator", "???")}});
                  }),
                  "output_dir");
  expect_contains(error_of([] { plans_of({{"a", evaluator("TOFUEvaluator", "")}}); }), "no name");
  expect_contains(error_of([] { plans_of(Json::object()); }), "no evaluator");
  Json empty = evaluator("TOFUEvaluator");
  empty["metrics"] = Json::object();
  expect_contains(error_of([&] { plans_of({{"a", empty}}); }), "no metric");
  Json none = evaluator("TOFUEvaluator");
  none.erase("metrics");
  expect_contains(error_of([&] { plans_of({{"a", none}}); }), "'metrics'");
}

}  // namespace
}  // namespace palimpsest::eval
