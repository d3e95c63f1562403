// What an evaluation concludes from all its attacks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/eval/internal/eval_log.h"
#include "palimpsest/trace/trace_file.h"
#include "tests/eval/evaluate_fixture.h"
#include "tests/support/expect_error.h"
#include "tests/support/threads_used.h"

namespace palimpsest::eval {
namespace {

using EvaluateAnswerTest = EvaluateTest;

TEST_F(EvaluateAnswerTest, TheAnswerIsRecordedAndTheSameOnARerun) {
  Json config = folder_.config(suite());
  config["eval"]["tofu"]["cluster_size"] = 2;
  const Evaluation first = run(config).at(0);
  ASSERT_TRUE(first.run.answer);
  EXPECT_EQ(first.run.answer->verdict, attack::AnswerVerdict::kNotDecided);  // four examples
  const std::string before = folder_.read("out/TOFU_RUN.json");
  EXPECT_EQ(record()["answer"]["verdict"], "not_decided");
  EXPECT_EQ(record()["answer"]["clusters"]["forget"], 2);
  EXPECT_EQ(record()["clusters"]["key"], "blocks of 2");
  EXPECT_EQ(record()["clusters"]["forget"].size(), 4U);
  EXPECT_EQ(record()["metrics"]["mia_min_k"]["parameters"]["k"], 0.4);
  EXPECT_EQ(record()["metrics"]["reference"]["reference"]["forget"].size(), 4U);
  EXPECT_FALSE(record()["metrics"]["prob"].contains("parameters"));
  expect_contains(results_table(first), "mia_min_k (k=0.4)");
  expect_contains(results_table(first), "quality (published definition)");
  expect_contains(conclusions_text(first), "NOT DECIDED");
  const Evaluation again = run(config).at(0);
  EXPECT_EQ(folder_.read("out/TOFU_RUN.json"), before);
  EXPECT_EQ(conclusions_text(again), conclusions_text(first));
  EXPECT_EQ(results_table(again), results_table(first));
}

// With its name, parameters and intervals, also where an earlier run computed the scores.
TEST_F(EvaluateAnswerTest, AScoredAttackIsTheSameOnARerun) {
  Json config = folder_.config({{"min_k", mia("mia_min_k")}, {"loss", mia("mia_loss")}});
  config["eval"]["tofu"]["cluster_size"] = 1;
  config["eval"]["tofu"]["primary"] = "min_k";
  for (const bool reused : {false, true}) {
    const Evaluation done = run(config).at(0);
    EXPECT_EQ(done.rows[0].reused, reused);
    const attack::ScoredAttack& min_k = *done.results.at("min_k").scored;
    EXPECT_EQ(min_k.name, "min_k");
    EXPECT_EQ(min_k.attack, "min_k");
    EXPECT_EQ(min_k.parameters, (attack::ParameterValues{{"k", 0.4}}));
    const MetricRecord& recorded = done.run.metrics.at("min_k");
    ASSERT_TRUE(recorded.interval && recorded.auc_ci_simultaneous);
    EXPECT_EQ(min_k.auc_ci, recorded.interval);
    EXPECT_EQ(min_k.auc_ci_simultaneous, recorded.auc_ci_simultaneous);
    // It takes no part in the answer.
    EXPECT_FALSE(done.run.metrics.at("loss").auc_ci_simultaneous);
    EXPECT_FALSE(record()["metrics"]["loss"].contains("auc_ci_simultaneous"));
  }
}

// Which examples belong together changes no metric: nothing runs again, intervals do change.
TEST_F(EvaluateAnswerTest, OtherClustersNeedNoModel) {
  Json config = folder_.config({{"prob", prob("answer")}, {"min_k", mia("mia_min_k")}});
  run(config);
  const Json log_before = log();
  const Json independent = record()["metrics"]["prob"]["interval"];
  EXPECT_FALSE(record().contains("clusters"));
  const int64_t batches = loader_.batches;
  config["eval"]["tofu"]["cluster_size"] = 2;
  run(config);
  EXPECT_EQ(loader_.batches, batches);
  EXPECT_EQ(log(), log_before);
  EXPECT_NE(record()["metrics"]["prob"]["interval"], independent);
  EXPECT_TRUE(record().contains("clusters"));
}

// What makes an audit worthless is read off the traces that the run left.
TEST_F(EvaluateAnswerTest, TheSameExamplesInBothSetsMakeTheAnswerVoid) {
  folder_.write("data/holdout.jsonl", folder_.read("data/forget.jsonl"));
  const Evaluation done = run_metrics({{"min_k", mia("mia_min_k")}});
  EXPECT_EQ(done.run.answer->verdict, attack::AnswerVerdict::kVoid);
  EXPECT_EQ(record()["answer"]["reasons"][0]["code"], "overlap");
  EXPECT_EQ(run_metrics({{"min_k", mia("mia_min_k")}}).run.answer->verdict,
            attack::AnswerVerdict::kVoid);
}

// Neither while it prepares data and runs models nor while it answers, from traces in memory and
// then from those of the first run.
TEST_F(EvaluateAnswerTest, NothingUsesMoreThreadsThanItMay) {
  for (const char* name : {"forget", "holdout"}) {
    std::string lines;
    for (int i = 0; i < 60; ++i) {
      lines +=
          to_line({{"question", "Where was the town?"},
                   {"answer", fmt::format("In {} {} {}", name, i, i % 3 == 0 ? "small" : "a")}}) +
          "\n";
    }
    folder_.write("data/" + std::string(name) + ".jsonl", lines);
  }
  Json config = folder_.config({{"rouge", rouge()}, {"mia_min_k", mia("mia_min_k")}});
  const auto threads_of_run = [&] {
    EvaluationSpec spec = read_evaluation(value_of(config));
    spec.model.options.threads = 1;  // no default
    return threads_used([&] { evaluate(spec, {.loader = loader_}); });
  };
  EXPECT_EQ(threads_of_run(), 1);
  const int64_t batches = loader_.batches;
  config["eval"]["tofu"]["cluster_size"] = 2;
  EXPECT_EQ(threads_of_run(), 1);
  EXPECT_EQ(loader_.batches, batches);
}

TEST_F(EvaluateAnswerTest, AClusterKeyIsTakenFromTheData) {
  Json config = folder_.config({{"min_k", mia("mia_min_k")}});
  config["eval"]["tofu"]["cluster_key"] = "author";
  expect_contains(error_of([&] { run(config); }), "'author'");
  EXPECT_EQ(loader_.loads(), 0);
  for (const char* name : {"forget", "holdout"}) {
    std::string lines;
    for (int i = 0; i < 4; ++i) {
      lines += to_line({{"question", "Where was the town?"},
                        {"answer", i % 2 == 0 ? "near a river" : "In the small town."},
                        {"author", fmt::format("{} {}", name, i / 2)}}) +
               "\n";
    }
    folder_.write("data/" + std::string(name) + ".jsonl", lines);
  }
  run(config);
  EXPECT_EQ(record()["clusters"]["key"], "author");
  EXPECT_EQ(record()["clusters"]["holdout"]["3"], "holdout 1");
  trace::TraceReader reader(folder_.path() / "out" / "TOFU_TRACES" / "H.jsonl");
  trace::Trace trace;
  ASSERT_TRUE(reader.next(trace));
  EXPECT_EQ(trace.groups.at("author"), "holdout 0");
}

// The log of a retrained model, evaluated by us, is the baseline; a list of logs is read whole, and
// the published numbers come from the first.
TEST_F(EvaluateAnswerTest, RetainLogsAreBaselineAndNull) {
  Json metrics = {{"mia_min_k", mia("mia_min_k")}, {"truth_ratio", truth_ratio()}};
  for (const char* name : {"first", "second"}) {
    folder_.write("model/config.json", to_line({{"model_type", "llama"}, {"name", name}}));
    Json config = folder_.config(metrics);
    config["eval"]["tofu"]["output_dir"] = (folder_.path() / name).string();
    run(config);
  }
  folder_.write("model/config.json", to_line({{"model_type", "llama"}, {"name", "model"}}));
  const std::string first = (folder_.path() / "first" / "TOFU_EVAL.json").string();
  const std::string second = (folder_.path() / "second" / "TOFU_EVAL.json").string();
  Json ratio = truth_ratio();
  ratio["access_key"] = "forget";
  metrics["quality"] = {{"handler", "ks_test"},
                        {"pre_compute", {{"truth_ratio", ratio}}},
                        {"reference_logs",
                         {{"retain_model_logs",
                           {{"path", {first, second}},
                            {"include", {{"truth_ratio", {{"access_key", "retain"}}}}}}}}}};
  const Evaluation done = run_metrics(metrics);
  EXPECT_TRUE(done.run.answer->against_baseline);
  ASSERT_TRUE(done.run.retrained);
  EXPECT_EQ(done.run.retrained->logs, 2);
  EXPECT_EQ(record()["retrained_models"]["comparisons"].size(), 2U);
  EXPECT_TRUE(record()["metrics"]["quality"]["effect"]["ks_distance"].is_number());
  const Json several = log()["quality"];
  metrics["quality"]["reference_logs"]["retain_model_logs"]["path"] = first;
  const Evaluation one = run_metrics(metrics);
  EXPECT_EQ(log()["quality"], several);
  EXPECT_FALSE(one.run.retrained);
  expect_contains(results_table(one), "KS distance");
  expect_contains(results_table(one), "mean difference");
}

}  // namespace
}  // namespace palimpsest::eval
