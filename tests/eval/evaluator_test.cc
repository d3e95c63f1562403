#include "palimpsest/eval/evaluator.h"

#include <gtest/gtest.h>

#include "tests/eval/setup.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

std::vector<EvaluatorPlan> read_plans(const Json& evals) {
  return read_evaluators(value_of(evals, "eval"), default_evaluator_table(),
                         {default_handler_table(), default_dataset_table()});
}

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
  const auto plans = read_plans({{"tofu", evaluator("TOFUEvaluator")},
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
                    read_plans({{"t", evaluator("TOFUEvaluater")}});
                  }),
                  "TOFUEvaluator, MUSEEvaluator, Evaluator");
  const std::string message = error_of([] {
    read_plans({{"lm", {{"handler", "LMEvalEvaluator"}, {"tasks", {"mmlu"}}}}});
  });
  expect_contains(message, "lm-evaluation-harness");
  expect_contains(message, "multiple_choice");
}

TEST(EvaluatorTest, RefusesWhatCannotBeRun) {
  expect_contains(
      error_of([] {
        read_plans({{"a", evaluator("TOFUEvaluator")}, {"b", evaluator("TOFUEvaluator")}});
      }),
      "two evaluators");
  expect_contains(error_of([] {
                    read_plans({{"a", evaluator("TOFUEvaluator", "???")}});
                  }),
                  "output_dir");
  expect_contains(error_of([] { read_plans({{"a", evaluator("TOFUEvaluator", "")}}); }), "no name");
  expect_contains(error_of([] { read_plans(Json::object()); }), "no evaluator");
  Json none = evaluator("TOFUEvaluator");
  none.erase("metrics");
  expect_contains(error_of([&] { read_plans({{"a", none}}); }), "'metrics'");
}

}  // namespace
}  // namespace palimpsest::eval
