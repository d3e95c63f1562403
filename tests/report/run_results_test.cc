#include "palimpsest/report/run_results.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "palimpsest/attack/attack.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/eval/internal/read_results.h"
#include "palimpsest/eval/internal/result_hash.h"
#include "palimpsest/report/run_table.h"
#include "palimpsest/stat/clustered_auc.h"
#include "tests/report/scored_metric.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::report {
namespace {

// As open-unlearning writes it.
constexpr const char* kEvalLog = R"({
  "forget_Q_A_Prob": {"agg_value": 0.5, "value_by_index": {
    "0": {"avg_loss": 1.0, "prob": 0.25}, "1": {"avg_loss": 2.0, "prob": 0.75},
    "2": {"avg_loss": null, "prob": null}}},
  "model_utility": {"agg_value": 0.6},
  "mia_loss": {"agg_value": 0.75, "auc": 0.75,
    "forget": {"agg_value": 1, "value_by_index": {"0": {"score": 1}, "1": {"score": 2.5}}},
    "holdout": {"agg_value": 2.5, "value_by_index": {"0": {"score": 2}, "1": {"score": 3}}}},
  "odd": {"agg_value": NaN, "value_by_index": {"0": 3}}
})";

TEST(RunResultsTest, ReadsEvaluationLogs) {
  const TempFolder folder;
  folder.write("TOFU_EVAL.json", kEvalLog);
  folder.write("TOFU_SUMMARY.json", R"({"model_utility": 0.9, "forget_quality": 1e-3})");
  const RunResults run = read_run(folder.path(), {});
  ASSERT_EQ(run.metrics.size(), 5U);
  const auto metric = [&](const char* name) {
    return *std::ranges::find(run.metrics, name, &RunMetric::name);
  };
  const RunMetric prob = metric("forget_Q_A_Prob");
  EXPECT_EQ(prob.value, 0.5);
  EXPECT_EQ(prob.by_index, (std::map<std::string, double>{{"0", 0.25}, {"1", 0.75}}));
  // Student's interval of two values reaches far beyond what a probability can be.
  EXPECT_EQ(prob.interval, (stat::Interval{0, 1}));
  EXPECT_EQ(metric("model_utility").value, 0.6);  // the log's, not the summary's
  EXPECT_FALSE(metric("model_utility").interval);
  EXPECT_TRUE(metric("mia_loss").is_auc());
  EXPECT_TRUE(metric("mia_loss").interval);
  EXPECT_EQ(metric("odd").value, std::nullopt);
  EXPECT_EQ(metric("forget_quality").value, 0.001);
  EXPECT_FALSE(run.scores);
}

TEST(RunResultsTest, WhatWasAskedForComesFirst) {
  const TempFolder folder;
  folder.write("TOFU_EVAL.json", R"({"a_part": {"agg_value": 1}, "mia_loss": {"agg_value": 0.75,
      "forget": {"value_by_index": {"0": {"score": 1}}},
      "holdout": {"value_by_index": {"0": {"score": 2}}}}, "b_part": {"agg_value": 2},
      "whole": {"agg_value": 3}})");
  folder.write("TOFU_SUMMARY.json", R"({"whole": 3})");
  std::string names;
  for (const RunMetric& metric : read_run(folder.path(), {}).metrics) names += metric.name + " ";
  EXPECT_EQ(names, "mia_loss whole a_part b_part ");
}

TEST(RunResultsTest, ReadsAudits) {
  const TempFolder folder;
  folder.write("mia.json", R"({
    "loss": {"auc": 0.75, "agg_value": 0.75, "auc_ci": [0.5, 1],
      "forget": {"value_by_index": {"0": {"score": 1}, "1": {"score": null}, "2": {"score": 2.5}}},
      "holdout": {"value_by_index": {"0": {"score": 2}, "1": {"score": 3}}}},
    "audit": {"model": "m", "agg_value": 3}})");
  folder.write("scores.csv", "label,score\n1,1\n");
  const RunResults run = read_run(folder.path(), {});
  ASSERT_EQ(run.metrics.size(), 1U);
  EXPECT_EQ(run.metrics[0].name, "mia_loss");
  EXPECT_EQ(run.metrics[0].interval, stat::auc_interval(*stat::clustered_auc(
                                         {{2, 3}, {1, 2.5}}, stat::independent_items(2, 2))));
  EXPECT_EQ(scores_by_key(run.metrics[0].scored->forget), (ValueByExample{{"0", 1}, {"2", 2.5}}));
  EXPECT_EQ(run.scores, folder.path() / "scores.csv");
  EXPECT_EQ(run.name, folder.path().filename());
}

// Six examples per set in three clusters.
std::string clustered_audit(const std::string& audit) {
  std::string sets[2];
  for (int set = 0; set < 2; ++set) {
    for (int i = 0; i < 6; ++i) {
      sets[set] += (i > 0 ? ", " : "") + std::string("\"") + std::to_string(i) +
                   "\": {\"score\": " + std::to_string(i * i % 5 + 1.5 * set) + "}";
    }
  }
  return R"({"min_k": {"agg_value": 0.75, "parameters": {"k": 0.4}, "forget": {"value_by_index": {)" +
         sets[0] + R"(}}, "holdout": {"value_by_index": {)" + sets[1] + R"(}}}, "audit": )" +
         audit + "}";
}

constexpr const char* kAuthors = R"json({"clusters": {"key": "author",
    "forget": {"0": "a", "1": "a", "2": "b", "3": "b", "4": "c", "5": "c"},
    "holdout": {"0": "d", "1": "d", "2": "e", "3": "e", "4": "f", "5": "f"}},
  "answer": {"verdict": "not_decided", "sentence": "Not decided.", "attack": "min_k (k=0.4)",
    "margin": 0.05, "smallest_margin": 0.3, "level": 0.05, "p_value": 0.4,
    "clusters": {"key": "author", "forget": 3, "holdout": 3, "icc": null, "design_effect": null},
    "would_detect": null, "needed": null, "reasons": []}})json";

TEST(RunResultsTest, AuditsSayWhichExamplesBelongTogetherAndWhatTheAnswerIs) {
  const TempFolder folder;
  folder.write("mia.json", clustered_audit(kAuthors));
  const RunResults run = read_run(folder.path(), {});
  EXPECT_EQ(run.cluster_name, "author");
  ASSERT_EQ(run.metrics.size(), 1U);
  const RunMetric& attack = run.metrics[0];
  EXPECT_EQ(attack.forget_clusters.at("5"), "c");
  EXPECT_EQ(attack.holdout_clusters.at("1"), "d");
  const stat::LabelledScores scores{values_of(scores_by_key(attack.scored->holdout)),
                                    values_of(scores_by_key(attack.scored->forget))};
  const stat::ScoreClusters clusters{{0, 0, 1, 1, 2, 2}, {3, 3, 4, 4, 5, 5}};
  EXPECT_EQ(attack.interval, stat::auc_interval(*stat::clustered_auc(scores, clusters)));
  EXPECT_NE(attack.interval,
            stat::auc_interval(*stat::clustered_auc(scores, stat::independent_items(6, 6))));
  ASSERT_TRUE(run.answer);
  EXPECT_EQ(run.answer->verdict, attack::AnswerVerdict::kNotDecided);
  EXPECT_EQ(leading_attack(run), &run.metrics[0]);
  EXPECT_EQ(label_of(attack), "mia_min_k (k=0.4)");
  // What the user says is for files that say nothing.
  EXPECT_EQ(read_run(folder.path(), {.clusters = {.size = 3}}).cluster_name, "author");
}

TEST(RunResultsTest, LogsThatSayNothingTakeTheUsersWord) {
  const TempFolder folder;
  folder.write("mia.json", clustered_audit("{}"));
  const RunResults plain = read_run(folder.path(), {});
  EXPECT_EQ(plain.cluster_name, "");
  EXPECT_FALSE(plain.answer);
  EXPECT_FALSE(plain.metrics[0].has_clusters());
  const RunResults blocks = read_run(folder.path(), {.clusters = {.size = 2}});
  EXPECT_EQ(blocks.cluster_name, "blocks of 2");
  folder.write("mia.json", clustered_audit(kAuthors));
  EXPECT_EQ(blocks.metrics[0].interval, read_run(folder.path(), {}).metrics[0].interval);
  EXPECT_FALSE(error_of([&] { read_run(folder.path(), {.clusters = {.key = "author"}}); }).empty());
  EXPECT_FALSE(error_of([&] {
                 read_run(folder.path(), {.clusters = {.size = 2, .independent = true}});
               }).empty());
}

// A number that was changed by hand used to be shown, with an interval that did not hold it.
TEST(RunResultsTest, AnEditedResultIsRefused) {
  const TempFolder folder;
  const Json log = parse_json(kEvalLog, "log");
  Json record = {{"palimpsest_run", 2}, {"complete", true}, {"metrics", Json::object()}};
  for (const auto& [name, entry] : log.items())
    record["metrics"][name] = {
        {"result_hash", eval::result_hash(eval::result_from_json(entry, name))}};
  const auto refusal = [&](const Json& edited) {
    folder.write("TOFU_EVAL.json", to_text(edited));
    return error_of([&] { read_run(folder.path(), {}); });
  };
  folder.write("TOFU_RUN.json", to_text(record));
  folder.write("TOFU_EVAL.json", log.dump(3));
  EXPECT_EQ(read_run(folder.path(), {}).metrics.size(), 4U);
  Json edited = log;
  edited["mia_loss"]["agg_value"] = 0.5;
  EXPECT_EQ(refusal(edited),
            (folder.path() / "TOFU_EVAL.json").string() +
                ": the result of mia_loss differs from the one in the record of the run: "
                "the file was changed after it was written; `palimpsest eval` computes it again");
  edited = log;
  edited["mia_loss"]["holdout"]["value_by_index"]["1"]["score"] = 0.1;
  expect_contains(refusal(edited), "the result of mia_loss");
  edited = log;
  edited["model_utility"].erase("agg_value");
  expect_contains(refusal(edited), "the result of model_utility");
  edited["model_utility"] = 0.9;
  expect_contains(refusal(edited), "model_utility");
  // A run that goes on writes its record first.
  record["complete"] = false;
  folder.write("TOFU_RUN.json", to_text(record));
  edited = log;
  edited["model_utility"]["agg_value"] = 0.9;
  expect_contains(refusal(edited), "a run is writing to this folder, or was cut short");
  // Records of before have no hashes.
  for (auto& [name, metric] : record["metrics"].items()) metric.erase("result_hash");
  folder.write("TOFU_RUN.json", to_text(record));
  EXPECT_EQ(read_run(folder.path(), {}).metrics.size(), 4U);
}

TEST(RunResultsTest, LabelsCarryParametersThatAreNotTheDefault) {
  const auto label = [](const char* name, std::optional<MetricParameters> parameters) {
    return label_of({.name = name,
                     .parameters = std::move(parameters),
                     .attack = std::make_shared<const attack::Attack>(
                         attack::select_attacks(attack::default_attack_table(), "min_k").at(0))});
  };
  EXPECT_EQ(label("mia_min_k", MetricParameters{{"k", "0.2"}}), "mia_min_k");
  EXPECT_EQ(label("mia_min_k", MetricParameters{{"k", "0.4"}}), "mia_min_k (k=0.4)");
  EXPECT_EQ(label("mia_min_k", std::nullopt), "mia_min_k");
  EXPECT_EQ(label_of({.name = "mia_min_k:k=0.3",
                      .parameters = MetricParameters{{"k", "0.3"}},
                      .attack = std::make_shared<const attack::Attack>(
                          attack::select_attacks(attack::default_attack_table(), "min_k").at(0))}),
            "mia_min_k:k=0.3");
  EXPECT_EQ(label_of({.name = "x_ROUGE", .parameters = MetricParameters{{"type", "rougeL"}}}),
            "x_ROUGE");
}

TEST(RunResultsTest, ScoresAreInTheOrderOfTheirKeysAsText) {
  const attack::SetScores set =
      attack::set_scores(attack::ExampleKeys({"9", "10", "2"}), {1, 2, std::nullopt});
  EXPECT_EQ(values_of(scores_by_key(set)), (std::vector<double>{2, 1}));
}

TEST(RunResultsTest, ScoresThatAreNotFiniteCountAsUndefined) {
  const TempFolder folder;
  folder.write("T_EVAL.json", R"({
    "mia_loss": {"agg_value": 0.5, "forget": {"value_by_index": {"0": {"score": Infinity},
        "1": {"score": 2}}}, "holdout": {"value_by_index": {"0": {"score": 1}}}},
    "mia_zlib": {"agg_value": 0.5, "forget": {"value_by_index": {"0": {"score": -Infinity}}},
      "holdout": {"value_by_index": {"0": {"score": 1}}}}})");
  const RunResults run = read_run(folder.path(), {});
  ASSERT_EQ(run.metrics.size(), 2U);
  EXPECT_EQ(scores_by_key(run.metrics[0].scored->forget), (ValueByExample{{"1", 2}}));
  EXPECT_EQ(run.metrics[0].scored->forget.undefined, 1);
  EXPECT_EQ(run.metrics[0].scored->forget.mean, 2);
  EXPECT_EQ(run.metrics[1].scored->forget.mean, std::nullopt);
  EXPECT_TRUE(run.metrics[0].is_auc());
  EXPECT_FALSE(run.metrics[1].is_auc());
}

TEST(RunResultsTest, TheLeadingAttackIsTheAnswersElseTheHighest) {
  RunMetric low{.name = "mia_loss", .value = 0.2, .scored = scored_attack({{"0", 1}}, {{"0", 1}})};
  RunMetric high = low;
  high.name = "mia_zlib";
  high.value = 0.6;
  RunResults run{.name = "r", .metrics = {low, high, {.name = "other", .value = 9}}};
  EXPECT_EQ(leading_attack(run)->name, "mia_zlib");
  run.answer = attack::Answer{.attack_name = "mia_loss"};
  EXPECT_EQ(leading_attack(run)->name, "mia_loss");
  run.answer = attack::Answer{.attack = "mia_loss"};  // a title names nothing
  EXPECT_EQ(leading_attack(run)->name, "mia_zlib");
  run.metrics.clear();
  EXPECT_EQ(leading_attack(run), nullptr);
}

// `eval` writes all parameters into the title of the attack, the defaults too.
TEST(RunResultsTest, AnEvaluationsAnswerNamesAnAttackWithDefaults) {
  const TempFolder folder;
  folder.write("T_EVAL.json", R"({
    "mia_min_k": {"agg_value": 0.25, "forget": {"value_by_index": {"0": {"score": 1}}},
      "holdout": {"value_by_index": {"0": {"score": 2}}}},
    "mia_loss": {"agg_value": 0.75, "forget": {"value_by_index": {"0": {"score": 1}}},
      "holdout": {"value_by_index": {"0": {"score": 2}}}}})");
  const auto leading = [&](const std::string& named) {
    folder.write("T_RUN.json", R"json({"palimpsest_run": 2, "complete": true, "metrics": {},
      "answer": {"verdict": "over_forgotten", "attack": "mia_min_k (k=0.2)")json" +
                                   named + "}}");
    return leading_attack(read_run(folder.path(), {}))->name;
  };
  EXPECT_EQ(leading(R"(, "attack_name": "mia_min_k")"), "mia_min_k");
  EXPECT_EQ(leading(""), "mia_min_k");  // as older versions wrote it
}

// What the files say, and what only follows from both together; nothing twice.
TEST(RunResultsTest, RedFlagsAreThoseOfTheFiles) {
  const TempFolder folder;
  const std::string attack = R"("loss": {"agg_value": 0.9, "auc": 0.9,
      "forget": {"value_by_index": {"0": {"score": 1}}},
      "holdout": {"value_by_index": {"0": {"score": 2}}}})";
  folder.write("mia.json", "{" + attack + R"(, "audit": {"flags": [
      {"code": "small_sample", "severity": "caution", "title": "Too few", "text": "As written."},
      {"code": "texts_differ", "severity": "red", "title": "Texts", "text": "As written."}],
    "blind_baseline": {"auc": 0.9, "separates": true}}})");
  const auto codes = [&] {
    std::string all;
    for (const attack::RedFlag& flag : read_run(folder.path(), {}).flags) all += flag.code + " ";
    return all;
  };
  const RunResults run = read_run(folder.path(), {});
  EXPECT_EQ(codes(), "texts_differ small_sample ");
  EXPECT_EQ(run.flags[0].text, "As written.");
  EXPECT_TRUE(run.flags[1].is_caution);
  EXPECT_EQ(compare_runs(std::vector{run}).flags[0], run.flags);
  folder.write("T_EVAL.json", R"({"forget_Q_A_ROUGE": {"agg_value": 0.1}})");
  EXPECT_EQ(codes(), "texts_differ collapse small_sample ");
  folder.write("T_RUN.json", R"({"palimpsest_run": 2, "complete": true, "metrics": {}, "flags": [
      {"code": "collapse", "severity": "red", "title": "Collapse", "text": "As recorded."}]})");
  EXPECT_EQ(codes(), "texts_differ collapse small_sample ");
  EXPECT_EQ(read_run(folder.path(), {}).flags[1].text, "As recorded.");
}

TEST(RunResultsTest, AFolderOfEvaluationsIsCalledByItsTask) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "npo_forget10" / "evals");
  folder.write("npo_forget10/evals/X_SUMMARY.json", "{\"m\": 1}");
  EXPECT_EQ(read_run(folder.path() / "npo_forget10/evals", {}).name, "npo_forget10");
}

TEST(RunResultsTest, RunsOfOneNameAreToldApartByTheLastPartsOfTheirPaths) {
  const TempFolder folder;
  for (const char* name : {"a/run", "b/run", "b/other"}) {
    std::filesystem::create_directories(folder.path() / name);
    folder.write(std::string(name) + "/X_SUMMARY.json", "{\"m\": 1}");
  }
  const auto runs =
      read_runs({folder.path() / "a/run", folder.path() / "b/run/", folder.path() / "b/other"}, {});
  EXPECT_EQ(runs[0].name, "a/run");
  EXPECT_EQ(runs[1].name, "b/run");
  EXPECT_EQ(runs[2].name, "other");
}

TEST(RunResultsTest, RefusesOtherFolders) {
  const TempFolder folder;
  expect_contains(error_of([&] { read_run(folder.path(), {}); }), "the folder holds no results");
  folder.write("X_EVAL.json", "[1]");
  expect_contains(error_of([&] { read_run(folder.path(), {}); }),
                  "X_EVAL.json: this is not a log of results");
  folder.write("X_EVAL.json", "{");
  expect_contains(error_of([&] { read_run(folder.path(), {}); }), "this is not valid JSON");
}

// Two evaluators may write into one folder, and each may have a metric of the same name.
TEST(RunResultsTest, OfTwoMetricsOfOneNameTheFirstCountsWithANote) {
  const TempFolder folder;
  const char* answer = R"("answer": {"verdict": "void", "sentence": "Of )";
  const auto write = [&](const std::string& name, const char* value, const char* record) {
    folder.write(
        name + "_EVAL.json",
        fmt::format(R"({{"prob": {{"agg_value": {0}}}, "same": {{"agg_value": 1}}}})", value));
    folder.write(name + "_SUMMARY.json", fmt::format(R"({{"prob": {}}})", value));
    folder.write(name + "_RUN.json", fmt::format(R"({{{}{}.", "attack": "", "margin": 0.05,
      "smallest_margin": null, "level": 0.05, "p_value": null, "clusters": {{"key": null, "forget": 2,
      "holdout": 2, "icc": null, "design_effect": null}}, "would_detect": null, "needed": null,
      "reasons": []}}, {}}})",
                                                 answer, name, record));
  };
  write("A", "0.25", R"("metrics": {"prob": {"agg_value": 0.25}})");
  write("B", "0.75", R"("palimpsest_run": 2, "complete": true,
    "metrics": {"prob": {"agg_value": 0.75, "interval": null, "data": {}}})");
  const RunResults run = read_run(folder.path(), {});
  ASSERT_EQ(run.metrics.size(), 2U);
  EXPECT_EQ(run.metrics[0].value, 0.25);
  EXPECT_EQ(run.answer->sentence, "Of A.");
  ASSERT_EQ(run.notes.size(), 1U);
  EXPECT_EQ(
      run.notes[0],
      "A_EVAL.json and B_EVAL.json differ in the answer, prob: the results of A_EVAL.json are "
      "shown; keep the two in folders of their own");
  write("B", "0.25", R"("metrics": {"prob": {"agg_value": 0.25}})");
  EXPECT_EQ(read_run(folder.path(), {}).notes.size(), 1U);  // the answer
}

TEST(RunResultsTest, OddContentsAreLeftOut) {
  const TempFolder folder;
  folder.write("X_EVAL.json", R"({"a": 1, "b": {"agg_value": "x"}, "c": {"agg_value": 1,
    "value_by_index": {"0": {"x": 1}, "1": [2], "2": {"x": "Infinity"}}},
    "d": {"agg_value": 1, "value_by_index": null}})");
  const RunResults run = read_run(folder.path(), {});
  ASSERT_EQ(run.metrics.size(), 3U);
  EXPECT_EQ(run.metrics[0].value, std::nullopt);
  EXPECT_EQ(run.metrics[1].by_index.size(), 1U);
  EXPECT_TRUE(run.metrics[2].by_index.empty());
  folder.write("X_EVAL.json", R"({"d": {"agg_value": 1, "value_by_index": []}})");
  expect_contains(error_of([&] { read_run(folder.path(), {}); }),
                  "X_EVAL.json: d: 'value_by_index' is not an object");
}

}  // namespace
}  // namespace palimpsest::report
