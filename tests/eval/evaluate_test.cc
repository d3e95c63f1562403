#include "palimpsest/eval/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/base/internal/output_lock.h"
#include "palimpsest/eval/internal/eval_log.h"
#include "palimpsest/run/internal/batch_run.h"
#include "palimpsest/trace/trace_file.h"
#include "tests/eval/evaluate_fixture.h"
#include "tests/eval/setup.h"
#include "tests/support/adapter_folder.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

TEST_F(EvaluateTest, WritesLogSummaryRecordAndTraces) {
  const Evaluation done = run_metrics(suite());
  const Json written = log();
  for (const char* name :
       {"truth_ratio", "Para", "Pert", "quality", "prob", "rouge", "rouge_too", "utility",
        "privleak", "mia_min_k", "gradnorm", "reference", "strength"}) {
    EXPECT_TRUE(written.contains(name)) << name;
  }
  EXPECT_EQ(written["Pert"]["value_by_index"]["0"]["prob"].size(), 3U);
  EXPECT_TRUE(written["rouge"]["value_by_index"]["3"]["generation"].is_string());
  EXPECT_EQ(written["mia_min_k"]["forget"]["value_by_index"].size(), 4U);
  EXPECT_EQ(written["quality"]["agg_value"], nullptr);
  EXPECT_FALSE(summary().contains("quality"));
  EXPECT_FALSE(summary().contains("Pert"));
  EXPECT_EQ(summary()["prob"], written["prob"]["agg_value"]);
  EXPECT_EQ(record()["complete"], true);
  EXPECT_EQ(record()["model"]["dtype"], "float32");
  EXPECT_EQ(record()["versions"]["palimpsest"], "test");
  EXPECT_EQ(record()["metrics"].size(), written.size());
  // Journals are gone, traces are there, with the text of the tokens.
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out" / "TOFU.run"));
  trace::TraceReader reader(folder_.path() / "out" / "TOFU_TRACES" / "H.jsonl");
  trace::Trace trace;
  ASSERT_TRUE(reader.next(trace));
  EXPECT_EQ(trace.tokens->size(), trace.logprob->size());
  EXPECT_EQ(done.rows.front().name, "truth_ratio");
  EXPECT_EQ(done.rows.size(), written.size());
  const std::string table = results_table(done);
  expect_contains(table, "metric");
  expect_contains(table, "n/a");
  expect_contains(table, " … ");
}

// So that `report` need not guess.
TEST_F(EvaluateTest, TheRecordSaysWhereEveryNumberComesFrom) {
  run_metrics(suite());
  const Json metrics = record()["metrics"];
  const Json& attack = metrics["mia_min_k"];
  EXPECT_EQ(attack["attack"], "min_k");
  EXPECT_EQ(attack["parameters"], Json({{"k", 0.4}}));
  for (const char* set : {"forget", "holdout"}) {
    const std::string file = attack["traces"][set].get<std::string>();
    trace::TraceReader reader(folder_.path() / "out" / file);
    trace::Trace trace;
    EXPECT_TRUE(reader.next(trace)) << file;
  }
  EXPECT_FALSE(attack.contains("averaged"));
  EXPECT_EQ(metrics["truth_ratio"]["averaged"],
            Json({{"field", "score"}, {"form", "closer_to_1_better"}}));
  EXPECT_EQ(metrics["rouge"]["averaged"], Json({{"field", "rougeL_recall"}}));
  EXPECT_EQ(metrics["rouge"]["generations"], "value_by_index");
  EXPECT_FALSE(metrics["prob"].contains("generations"));
  // The same examples; and other texts of the same records, under the same indices.
  EXPECT_EQ(metrics["rouge"]["data"][""], attack["data"]["forget"]);
  EXPECT_NE(metrics["Para"]["data"][""], attack["data"]["forget"]);
  EXPECT_EQ(metrics["Para"]["pairing"][""], attack["pairing"]["forget"]);
  EXPECT_EQ(metrics["truth_ratio"]["pairing"][""], attack["pairing"]["forget"]);
  EXPECT_NE(attack["pairing"]["holdout"], attack["pairing"]["forget"]);
  EXPECT_EQ(metrics["reference"]["reference"]["model"], (folder_.path() / "reference").string());
  EXPECT_FALSE(metrics["utility"].contains("pairing"));
}

// A handler that looks whether the log is there already, and may fail.
bool log_was_there = false;
bool fails = false;
std::filesystem::path watched_log;

MetricResult look_at_log(const MetricInput&) {
  if (fails) throw SystemError("killed");
  log_was_there = std::filesystem::exists(watched_log);
  return {.agg_value = 1};
}

TEST_F(EvaluateTest, TheLogIsWrittenOncePerPassAndARunThatIsCutGivesTheSame) {
  HandlerTable handlers = default_handler_table();
  handlers.push_back({.name = "watch",
                      .measures = "",
                      .orientation = "",
                      .needs = [](const MetricSetting&) -> MetricNeeds {
                        return {.data = {kOnlyData}, .traces = true};
                      },
                      .compute = look_at_log});
  watched_log = folder_.path() / "out/TOFU_EVAL.json";
  Json watch = prob("answer");
  watch["handler"] = "watch";
  Json late = watch;
  late["pre_compute"] = {{"rouge", rouge()}};
  const auto run_all = [&](const Json& metrics) {
    evaluate_config(folder_.config(metrics), {.loader = loader_, .handlers = handlers});
  };
  run_all({{"prob", prob("answer")}, {"watch", watch}});
  EXPECT_FALSE(log_was_there);
  std::filesystem::remove_all(folder_.path() / "out");
  const Json all = {{"prob", prob("answer")}, {"late", late}};
  run_all(all);
  EXPECT_TRUE(log_was_there);  // that of the traces
  const std::string expected = folder_.read("out/TOFU_EVAL.json");
  std::filesystem::remove_all(folder_.path() / "out");
  const int64_t batches = loader_.batches;
  fails = true;
  EXPECT_THROW(run_all(all), SystemError);
  const int64_t needed = loader_.batches - batches;
  fails = false;
  EXPECT_EQ(log().size(), 1U);  // rouge was computed after the traces' pass, and is not written yet
  run_all(all);
  EXPECT_EQ(folder_.read("out/TOFU_EVAL.json"), expected);
  EXPECT_EQ(loader_.batches - batches, needed);  // what was run is in the journals
}

// Ten metrics look at the same example; it is run once.
TEST_F(EvaluateTest, EachSequenceRunsOncePerModel) {
  run_metrics(suite());
  // 4 answers, 4 paraphrases, 12 wrong ones, 4 of the holdout set; 8 under the reference model.
  EXPECT_EQ(loader_.counts().scored_sequences, 24 + 8);
  EXPECT_EQ(loader_.counts().backward_sequences, 8);
  EXPECT_EQ(loader_.counts().generated_prompts, 4);
  EXPECT_EQ(loader_.loads(), 2);
}

// What the trace shows of the greedy output is what generating gives.
TEST_F(EvaluateTest, GenerationsDoNotDependOnTheTraces) {
  run_metrics({{"rouge", rouge()}});
  const Json alone = log()["rouge"];
  std::filesystem::remove_all(folder_.path() / "out");
  run_metrics({{"prob", prob("answer")}, {"rouge", rouge()}});
  EXPECT_EQ(log()["rouge"], alone);
}

TEST_F(EvaluateTest, TheGroundTruthIsTheAnswer) {
  run_metrics({{"rouge", rouge()}});
  const Json first = log()["rouge"]["value_by_index"]["0"];
  EXPECT_EQ(first["ground_truth"], "In a town near the author.");
  expect_contains(first["input"].get<std::string>(), "Where was the author?");
}

TEST_F(EvaluateTest, ARerunComputesNothing) {
  run_metrics(suite());
  const std::string before = folder_.read("out/TOFU_EVAL.json");
  const int64_t batches = loader_.batches;
  const Evaluation again = run_metrics(suite());
  EXPECT_EQ(loader_.batches, batches);
  EXPECT_EQ(folder_.read("out/TOFU_EVAL.json"), before);
  EXPECT_TRUE(std::ranges::all_of(again.rows, [](const MetricRow& row) { return row.reused; }));
  // The table is the same, intervals included.
  const auto prob_row = std::ranges::find(again.rows, "prob", &MetricRow::name);
  EXPECT_TRUE(prob_row->interval);
  EXPECT_EQ(prob_row->examples, 4);
}

// The answer is drawn from the log alone: the same bytes, whether anything was computed or not.
TEST_F(EvaluateTest, WhatChangedIsComputedAnewAndNothingElse) {
  Json metrics = {{"prob", prob("answer")}, {"min_k", mia("mia_min_k")}};
  run_metrics(metrics);
  metrics["min_k"]["k"] = 0.9;
  metrics["prob"]["batch_size"] = 1;  // a hint, no more
  const Evaluation again = run_metrics(metrics);
  EXPECT_TRUE(again.rows[0].reused);
  EXPECT_FALSE(again.rows[1].reused);
  // Another model: everything.
  folder_.write("model/config.json", R"({"model_type": "llama", "name": "other weights"})");
  for (const MetricRow& row : run_metrics(metrics).rows) EXPECT_FALSE(row.reused) << row.name;
  // Other data: what uses them.
  std::string data = folder_.read("data/holdout.jsonl");
  folder_.write("data/holdout.jsonl", data.substr(0, data.find('\n') + 1));
  const Evaluation third = run_metrics(metrics);
  EXPECT_TRUE(third.rows[0].reused);
  EXPECT_FALSE(third.rows[1].reused);
}

TEST_F(EvaluateTest, AnotherReferenceModelInTheSamePlaceIsNoticed) {
  Json metrics = {{"prob", prob("answer")}, {"reference", mia("mia_reference")}};
  metrics["reference"]["reference_model_path"] = (folder_.path() / "reference").string();
  run_metrics(metrics);
  EXPECT_TRUE(run_metrics(metrics).rows[1].reused);
  folder_.write("reference/config.json", R"({"model_type": "llama", "name": "other weights"})");
  const Evaluation again = run_metrics(metrics);
  EXPECT_TRUE(again.rows[0].reused);
  EXPECT_FALSE(again.rows[1].reused);
}

// Two data sets of one name: neither's traces may take the place of the other's.
TEST_F(EvaluateTest, ARerunOfOneMetricKeepsTheTracesOfTheOthers) {
  const auto trace_files = [&] {
    std::map<std::string, std::string> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.path() / "out/TOFU_TRACES")) {
      const std::string name = entry.path().filename().string();
      files[name] = folder_.read("out/TOFU_TRACES/" + name);
    }
    return files;
  };
  run_metrics({{"prob", prob("answer")}});
  const std::string first = trace_files().at("QA.jsonl");
  Json metrics = {{"another", prob("paraphrase")}, {"prob", prob("answer")}};
  EXPECT_TRUE(run_metrics(metrics).rows[1].reused);
  const auto both = trace_files();
  EXPECT_EQ(both.size(), 2U);
  EXPECT_EQ(both.at("QA.jsonl"), first);
  metrics["another"]["handler"] = "extraction_strength";
  EXPECT_FALSE(run_metrics(metrics).rows[0].reused);
  EXPECT_EQ(trace_files(), both);
}

TEST_F(EvaluateTest, AMetricMoreKeepsTheOthers) {
  run_metrics({{"prob", prob("answer")}});
  const Evaluation both = run_metrics({{"prob", prob("answer")}, {"min_k", mia("mia_min_k")}});
  EXPECT_TRUE(both.rows[0].reused);
  EXPECT_EQ(log().size(), 2U);
  // One that is no longer asked for stays in the log, of the same model.
  run_metrics({{"min_k", mia("mia_min_k")}});
  EXPECT_EQ(log().size(), 2U);
  EXPECT_FALSE(summary().contains("prob"));
}

TEST_F(EvaluateTest, OverwriteStartsAnew) {
  run_metrics({{"prob", prob("answer")}, {"min_k", mia("mia_min_k")}});
  Json config = folder_.config({{"prob", prob("answer")}});
  config["eval"]["tofu"]["overwrite"] = true;
  EXPECT_FALSE(run(config).at(0).rows[0].reused);
  EXPECT_EQ(log().size(), 1U);
}

// Results of unknown origin are not believed, and not lost either.
TEST_F(EvaluateTest, StaleResultsAreNotReused) {
  std::filesystem::create_directories(folder_.path() / "out");
  folder_.write("out/TOFU_EVAL.json", R"({"prob": {"agg_value": 0.123}, "x": {"agg_value": NaN}})");
  EXPECT_FALSE(run_metrics({{"prob", prob("answer")}}).rows[0].reused);
  EXPECT_NE(log()["prob"]["agg_value"], 0.123);
  EXPECT_FALSE(log().contains("x"));
  expect_contains(folder_.read("out/TOFU_EVAL.json.old"), "0.123");
  folder_.write("out/TOFU_EVAL.json", "not JSON");
  EXPECT_FALSE(run_metrics({{"prob", prob("answer")}}).rows[0].reused);
}

TEST_F(EvaluateTest, TheFolderIsLockedUntilTheEnd) {
  const std::filesystem::path out = folder_.path() / "out";
  const Json config = folder_.config({{"prob", prob("answer")}});
  {
    const OutputLock other = OutputLock::of_folder(out, "palimpsest mia");
    expect_contains(error_of([&] { run(config); }), "another run (`palimpsest mia`");
    EXPECT_EQ(loader_.loads(), 0);
  }
  EXPECT_FALSE(std::filesystem::exists(out));
  int finished = 0;
  evaluate_config(config, {.loader = loader_,
                           .command = "my program",
                           .on_finished = [&](const std::vector<Evaluation>& done) {
                             finished += static_cast<int>(done.size());
                             expect_contains(
                                 error_of([&] { OutputLock::of_folder(out, "another"); }),
                                 "another run (`my program`");
                           }});
  EXPECT_EQ(finished, 1);
  EXPECT_FALSE(std::filesystem::exists(out / ".palimpsest.lock"));
}

// Wherever the power goes out, the next run goes on and gives the same log.
TEST_F(EvaluateTest, AnInterruptedRunGoesOn) {
  run_metrics(suite());
  const Json expected = log();
  const int64_t needed = loader_.batches;
  ASSERT_GE(needed, 4);
  for (int64_t granted = 0; granted < needed; ++granted) {
    std::filesystem::remove_all(folder_.path() / "out");
    loader_.batches = 0;
    loader_.granted = granted;
    EXPECT_THROW(run_metrics(suite()), SystemError);
    loader_.granted = 1 << 20;
    run_metrics(suite());
    EXPECT_EQ(log(), expected) << granted;
    // The batch that failed is asked for twice, the others once.
    EXPECT_EQ(loader_.batches, needed + 1) << granted;
  }
}

TEST_F(EvaluateTest, OurLogServesAsReference) {
  run_metrics({{"truth_ratio", truth_ratio()}});
  std::filesystem::copy_file(folder_.path() / "out/TOFU_EVAL.json", folder_.path() / "retain.json");
  Json metrics = {{"quality", suite()["quality"]}};
  metrics["quality"]["reference_logs"]["retain_model_logs"]["path"] =
      (folder_.path() / "retain.json").string();
  run_metrics(metrics);
  EXPECT_EQ(log()["quality"]["agg_value"], 1.0);
}

TEST_F(EvaluateTest, MultipleChoice) {
  folder_.write("data/choices.jsonl",
                R"({"question": "the author", "choices": ["a river", "a town"], "answer": 1}
{"question": "the river", "choices": ["In", "near", "a small town"], "answer": 0}
)");
  run_metrics({{"mmlu", multiple_choice()}});
  const Json result = log()["mmlu"];
  const Json& first = result["value_by_index"]["0"];
  ASSERT_EQ(first["logprob"].size(), 2U);
  const bool second = first["logprob"][1] > first["logprob"][0];
  EXPECT_EQ(first["choice"], second ? 1 : 0);
  EXPECT_EQ(first["acc"], second ? 1 : 0);
  EXPECT_EQ(result["acc"], result["agg_value"]);
}

// Nothing is the likeliest of all continuations: Σ log p = 0.
TEST_F(EvaluateTest, AnOptionWithoutTokensIsNeverChosen) {
  folder_.write("data/choices.jsonl",
                R"({"question": "the author", "choices": ["", "a town"], "answer": 1})");
  run_metrics({{"mmlu", multiple_choice()}});
  const Json first = log()["mmlu"]["value_by_index"]["0"];
  EXPECT_EQ(first["logprob"][0], nullptr);
  EXPECT_EQ(first["choice"], 1);
  EXPECT_EQ(first["choice_norm"], 1);
}

// All of these are found before the model is loaded.
TEST_F(EvaluateTest, BadInputCostsNoLoading) {
  const auto error = [&](const Json& config) { return error_of([&] { run(config); }); };
  Json config = folder_.config({{"prob", prob("answer")}});
  config["eval"]["tofu"]["metrics"]["prob"]["handler"] = "probabilty";
  expect_contains(error(config), "there is no metric handler");
  expect_contains(error(folder_.config({{"prob", prob("reply")}})), "the record has no 'reply'");
  config = folder_.config({{"prob", prob("answer")}});
  config["model"]["model_args"]["pretrained_model_name_or_path"] = "???";
  expect_contains(error(config), "must be given");
  config = folder_.config({{"r", mia("mia_reference")}});
  config["eval"]["tofu"]["metrics"]["r"]["reference_model_path"] = "org/absent";
  expect_contains(error(config), "reference_model_path");
  config = folder_.config({{"prob", prob("answer")}});
  folder_.write("file", "");
  config["eval"]["tofu"]["output_dir"] = (folder_.path() / "file").string();
  expect_contains(error(config), "file");
  config["eval"]["tofu"]["output_dir"] = "/proc/palimpsest";
  expect_contains(error(config), "/proc/palimpsest");
  expect_contains(error(Json::object()), "'eval'");
  EXPECT_EQ(loader_.loads(), 0);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out"));
}

TEST_F(EvaluateTest, GradientsThatCannotBeTakenCostNoLoading) {
  loader_.forward_only = true;
  expect_contains(error_of([&] { run_metrics(suite()); }), "no gradients here");
  EXPECT_EQ(loader_.loads(), 0);
  Json others = suite();
  others.erase("gradnorm");
  EXPECT_FALSE(run_metrics(others).rows.empty());
}

// A program that embeds the library may stop a run; the next one goes on.
TEST_F(EvaluateTest, StopsBeforeTheNextBatch) {
  const Json config = folder_.config({{"prob", prob("answer")}});
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(evaluate_config(config, {.loader = loader_, .stop = source.get_token()}),
               run::Stopped);
  EXPECT_EQ(loader_.batches, 0);
  EXPECT_EQ(record()["complete"], false);
  EXPECT_EQ(evaluate_config(config, {.loader = loader_}).front().rows.size(), 1U);
  EXPECT_EQ(record()["complete"], true);
}

TEST_F(EvaluateTest, AnotherVocabularyIsRefused) {
  std::string tokenizer = folder_.read("reference/tokenizer.json");
  const size_t begin = tokenizer.find("\"river\"");
  ASSERT_NE(begin, std::string::npos);
  folder_.write("reference/tokenizer.json", tokenizer.replace(begin, 7, "\"lake\""));
  Json metric = mia("mia_reference");
  metric["reference_model_path"] = (folder_.path() / "reference").string();
  expect_contains(error_of([&] { run_metrics({{"r", metric}}); }), "a different vocabulary");
  EXPECT_EQ(loader_.loads(), 0);
  // An adapter without a tokenizer of its own reads what its base reads.
  metric["reference_model_path"] =
      write_adapter(folder_.path() / "adapter", "../reference").string();
  expect_contains(error_of([&] { run_metrics({{"r", metric}}); }), "a different vocabulary");
  EXPECT_EQ(loader_.loads(), 0);
}

}  // namespace
}  // namespace palimpsest::eval
