#include "palimpsest/eval/run_record.h"

#include <gtest/gtest.h>

#include <limits>

#include "palimpsest/base/internal/json.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::eval {
namespace {

TEST(RunRecordTest, WhatIsWrittenIsRead) {
  const TempFolder folder;
  RunRecord record{.name = "TOFU",
                   .versions = {{"palimpsest", "1"}},
                   .model = "m",
                   .model_fingerprint = "f",
                   .tokenizer_fingerprint = "t",
                   .device = "cpu",
                   .dtype = "float32",
                   .num_parameters = 7,
                   .seed = 3,
                   .planned = {{"a", "x"}},
                   .passes = {{.kind = "traces", .model = "m", .items = 4, .seconds = 0.5}}};
  record.metrics["a"] = {.fingerprint = "x",
                         .handler = "probability",
                         .requested = true,
                         .agg_value = 0.25,
                         .interval = stat::Interval{0.1, 0.4},
                         .auc_ci_simultaneous = stat::Interval{0.05, 0.5},
                         .examples = 9};
  record.metrics["b"] = {.fingerprint = "y", .handler = "ks_test"};
  record.metrics["c"] = {.fingerprint = "z",
                         .handler = "mean",
                         .interval = stat::Interval{0, std::numeric_limits<double>::infinity()}};
  write_run_record(folder.path() / "r.json", record);
  const auto read = read_run_record(folder.path() / "r.json");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->answer);
  EXPECT_FALSE(read->metrics.at("a").parameters);
  EXPECT_EQ(read->model_fingerprint, "f");
  EXPECT_EQ(read->planned, record.planned);
  EXPECT_EQ(read->seed, 3U);
  EXPECT_FALSE(read->complete);
  EXPECT_EQ(read->metrics.at("a").interval, record.metrics.at("a").interval);
  EXPECT_EQ(read->metrics.at("a").auc_ci_simultaneous, record.metrics.at("a").auc_ci_simultaneous);
  EXPECT_FALSE(read->metrics.at("b").auc_ci_simultaneous);
  EXPECT_EQ(read->metrics.at("a").agg_value, 0.25);
  EXPECT_EQ(read->metrics.at("b").agg_value, std::nullopt);
  EXPECT_EQ(read->metrics.at("b").interval, std::nullopt);
  EXPECT_EQ(read->metrics.at("c").interval, record.metrics.at("c").interval);
  ASSERT_EQ(read->passes.size(), 1U);
  EXPECT_EQ(read->passes[0].items, 4);
}

TEST(RunRecordTest, WhatFollowsFromTheNumbersIsReadAgain) {
  const TempFolder folder;
  RunRecord record{.name = "TOFU", .complete = true};
  const attack::ScoredAttack losses{
      .forget = attack::set_scores(attack::ExampleKeys({"0", "1"}), {1.5, std::nullopt}),
      .holdout = attack::set_scores(attack::ExampleKeys({"0"}), {2})};
  record.metrics["mia_reference"] = {.handler = "mia_reference",
                                     .source = {.attack = "reference",
                                                .data = {{"forget", "f"}},
                                                .pairing = {{"forget", "p"}},
                                                .traces = {{"forget", "TOFU_TRACES/f.jsonl"}},
                                                .reference_model = "org/other",
                                                .reference_fingerprint = "r",
                                                .reference_logs = {"retain/TOFU_EVAL.json"}},
                                     .parameters = AttackParameters{},
                                     .reference = losses};
  record.metrics["mia_gradnorm"] = {
      .handler = "mia_gradnorm",
      .parameters = AttackParameters{{"p", std::numeric_limits<double>::infinity()}}};
  record.metrics["rouge"] = {.handler = "rouge",
                             .source = {.averaged = AveragedField{"score", "true_better"},
                                        .cluster_size = 20,
                                        .has_generations = true}};
  record.metrics["quality"] = {.handler = "ks_test",
                               .quality = ForgetQuality{0.25, -0.5, stat::Interval{-1, 0}, 8},
                               .note = "published definition"};
  record.answer =
      attack::Answer{.verdict = attack::AnswerVerdict::kNotDecided, .sentence = "Not decided."};
  record.complete = true;
  record.flags = {{"collapse", false, "Possible collapse", "It may be broken."}};
  record.clusters = RunClusters{"author", {{"0", "Ann"}, {"1", "Bob"}}, {{"0", "Cem"}}};
  record.retrained = RetrainedModels{2, {{"mia_loss", 0.3, {0.1, 0.2}, 1.0 / 3}}};
  record.notes = {"a note"};
  write_run_record(folder.path() / "r.json", record);
  const auto read = read_run_record(folder.path() / "r.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->answer->sentence, "Not decided.");
  EXPECT_EQ(read->flags, record.flags);
  EXPECT_EQ(read->clusters, record.clusters);
  EXPECT_EQ(read->retrained, record.retrained);
  EXPECT_EQ(read->notes, record.notes);
  const MetricRecord& reference = read->metrics.at("mia_reference");
  EXPECT_EQ(reference.source, record.metrics.at("mia_reference").source);
  EXPECT_EQ(read->metrics.at("rouge").source, record.metrics.at("rouge").source);
  ASSERT_TRUE(reference.reference);
  EXPECT_EQ(reference.reference->forget.keys.list(), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(reference.reference->forget.scores, (attack::ScoreColumn{1.5, std::nullopt}));
  EXPECT_EQ(reference.reference->holdout.scores, (attack::ScoreColumn{2}));
  EXPECT_EQ(reference.parameters, AttackParameters{});
  EXPECT_EQ(read->metrics.at("mia_gradnorm").parameters,
            record.metrics.at("mia_gradnorm").parameters);
  EXPECT_EQ(read->metrics.at("quality").quality, record.metrics.at("quality").quality);
  EXPECT_EQ(read->metrics.at("quality").note, "published definition");
}

// Palimpsest 0.1 wrote no more than this.
TEST(RunRecordTest, OlderOnesAreReadAndNewerOnesRefused) {
  const TempFolder folder;
  write_run_record(folder.path() / "r.json", {.name = "TOFU", .complete = true});
  Json json = parse_json(folder.read("r.json"), "");
  EXPECT_EQ(json["palimpsest_run"], kRunRecordVersion);
  json["palimpsest_run"] = 1;
  const auto older = read_run_record(folder.write("r.json", json.dump()));
  EXPECT_TRUE(older->complete);
  EXPECT_EQ(older->version, 1);
  const auto oldest = read_run_record(folder.write("r.json", R"({"metrics": {"a": {}}})"));
  ASSERT_TRUE(oldest);
  EXPECT_EQ(oldest->version, 1);
  EXPECT_EQ(oldest->metrics.at("a").fingerprint, "");
  json["palimpsest_run"] = kRunRecordVersion + 1;
  const std::string refusal =
      error_of([&] { read_run_record(folder.write("r.json", json.dump())); });
  expect_contains(
      refusal,
      "r.json: this record of a run is of a newer version (expected at most version 2, found 3)");
  expect_contains(refusal, "or a later one");
}

TEST(RunRecordTest, ADamagedOneIsNone) {
  const TempFolder folder;
  EXPECT_FALSE(read_run_record(folder.path() / "absent.json"));
  for (const char* bytes : {"", "{", "[]", R"({"name": 3})", R"({"name": "TOFU"})"}) {
    EXPECT_FALSE(read_run_record(folder.write("r.json", bytes))) << bytes;
  }
  // Counts are not cast: of 3e97 the result would be undefined.
  write_run_record(folder.path() / "r.json",
                   {.name = "TOFU", .passes = {{.kind = "score", .model = "m", .items = 7}}});
  std::string record = folder.read("r.json");
  ASSERT_TRUE(read_run_record(folder.path() / "r.json"));
  const std::string items = "\"items\": 7";
  ASSERT_NE(record.find(items), std::string::npos) << record;
  record.replace(record.find(items), items.size(), "\"items\": 3e97");
  EXPECT_FALSE(read_run_record(folder.write("r.json", record)));
}

}  // namespace
}  // namespace palimpsest::eval
