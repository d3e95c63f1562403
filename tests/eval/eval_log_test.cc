#include "palimpsest/eval/internal/eval_log.h"

#include <gtest/gtest.h>

#include <limits>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/eval/internal/read_results.h"
#include "palimpsest/eval/internal/result_hash.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::eval {
namespace {

EvalLog some_log() {
  EvalLog log;
  log["prob"] = {.agg_value = 0.1,
                 .value_by_index = {{"0", {{"prob", Number(0.1)}, {"avg_loss", Number()}}},
                                    {"1",
                                     {{"prob", std::vector<Number>{0.5, std::nullopt}},
                                      {"input", std::vector<std::string>{"a", "ü\n"}}}}}};
  log["mia"] = {.agg_value = 0.75, .numbers = {{"auc", 0.75}}};
  log["mia"].scored = {
      .forget = attack::set_scores(attack::ExampleKeys({"0", "1/1"}), {1.5, std::nullopt}),
      .holdout = attack::set_scores(attack::ExampleKeys({"0"}), {2}),
      .auc = 0.75};
  log["empty"] = {};
  return log;
}

TEST(EvalLogTest, WhatIsWrittenIsRead) {
  const TempFolder folder;
  write_eval_log(folder.path() / "log.json", some_log());
  const EvalLog log = read_eval_log(folder.path() / "log.json");
  ASSERT_EQ(log.size(), 3U);
  EXPECT_EQ(log.at("prob").agg_value, 0.1);
  EXPECT_EQ(log.at("prob").value_by_index[1].fields,
            some_log().at("prob").value_by_index[1].fields);
  EXPECT_EQ(log.at("mia").numbers, some_log().at("mia").numbers);
  ASSERT_TRUE(log.at("mia").scored);
  const attack::ScoredAttack& scored = *log.at("mia").scored;
  EXPECT_EQ(scored.forget.keys.list(), (std::vector<std::string>{"0", "1/1"}));
  EXPECT_EQ(scored.forget.scores, (attack::ScoreColumn{1.5, std::nullopt}));
  EXPECT_EQ(scored.forget.mean, 1.5);
  EXPECT_EQ(scored.forget.undefined, 1);
  EXPECT_EQ(scored.holdout.scores, (attack::ScoreColumn{2}));
  EXPECT_EQ(scored.auc, 0.75);
  EXPECT_TRUE(scored.parameters.empty());
  EXPECT_FALSE(log.at("prob").scored);
  EXPECT_EQ(log.at("empty").agg_value, std::nullopt);
  // Again the same bytes.
  const std::string bytes = folder.read("log.json");
  write_eval_log(folder.path() / "log.json", log);
  EXPECT_EQ(folder.read("log.json"), bytes);
}

TEST(EvalLogTest, InfinityIsReadAsItIsWritten) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const TempFolder folder;
  EvalLog log;
  log["m"] = {.agg_value = -kInfinity,
              .value_by_index = {{"0",
                                  {{"score", Number(kInfinity)},
                                   {"list", std::vector<Number>{1, -kInfinity, std::nullopt}},
                                   {"words", std::vector<std::string>{"Infinity", "pool"}}}}},
              .numbers = {{"auc", kInfinity}}};
  write_eval_log(folder.path() / "log.json", log);
  const EvalLog read = read_eval_log(folder.path() / "log.json");
  EXPECT_EQ(read.at("m").agg_value, -kInfinity);
  EXPECT_EQ(read.at("m").numbers, log.at("m").numbers);
  EXPECT_EQ(read.at("m").value_by_index[0].fields, log.at("m").value_by_index[0].fields);
}

// The hash of what was computed is that of what is read.
TEST(EvalLogTest, TheHashOfAResultOutlivesItsFile) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const TempFolder folder;
  EvalLog log = some_log();
  log["odd"] = {.agg_value = std::numeric_limits<double>::quiet_NaN(),
                .value_by_index = {{"0",
                                    {{"score", Number(kInfinity)},
                                     {"whole", Number(7)},
                                     {"small", Number(1e-310)},
                                     {"none", std::vector<Number>{}},
                                     {"words", std::vector<std::string>{"Infinity"}},
                                     {"generation", std::string("cut \xC3")}}}}};
  write_eval_log(folder.path() / "log.json", log);
  const EvalLog read = read_eval_log(folder.path() / "log.json");
  const Json json = parse_json(folder.read("log.json"), "log.json");
  for (const auto& [name, result] : log) {
    EXPECT_EQ(result_hash(read.at(name)), result_hash(result)) << name;
    EXPECT_EQ(result_hash(result_from_json(json.at(name), name)), result_hash(result)) << name;
  }
  MetricResult edited = log.at("prob");
  edited.value_by_index[0].fields[0].second = Number(0.2);
  EXPECT_NE(result_hash(edited), result_hash(log.at("prob")));
}

// What a model generates is a text, also where it looks like a number.
TEST(EvalLogTest, TextsThatLookLikeNumbersStayTexts) {
  const std::vector<IndexedValue> values = {
      {"0", {{"generation", "Infinity"}, {"input", "-Infinity"}, {"ground_truth", "NaN"}}},
      {"1", {{"generation", std::vector<std::string>{"Infinity", "-Infinity"}}}}};
  const TempFolder folder;
  write_eval_log(folder.path() / "log.json", {{"m", {.value_by_index = values}}});
  const EvalLog log = read_eval_log(folder.path() / "log.json");
  for (size_t i = 0; i < values.size(); ++i) {
    for (const auto& [name, field] : values[i].fields) {
      const Field* read = log.at("m").value_by_index.at(i).find(name);
      ASSERT_NE(read, nullptr) << name;
      EXPECT_EQ(*read, field) << name;
    }
  }
}

TEST(EvalLogTest, HasTheSchemaOfOpenUnlearning) {
  const TempFolder folder;
  write_eval_log(folder.path() / "log.json", some_log());
  const Json json = parse_json(folder.read("log.json"), "log");
  EXPECT_EQ(json["prob"]["value_by_index"]["0"], Json::parse(R"({"prob": 0.1, "avg_loss": null})"));
  EXPECT_EQ(to_line(json["mia"]),
            R"({"agg_value":0.75,"auc":0.75,"forget":{"agg_value":1.5,"value_by_index":)"
            R"({"0":{"score":1.5},"1/1":{"score":null}}},"holdout":{"agg_value":2.0,)"
            R"("value_by_index":{"0":{"score":2.0}}}})");
  EXPECT_EQ(json["empty"], Json::parse(R"({"agg_value": null})"));
}

TEST(EvalLogTest, ReadsWhatPythonWrites) {
  const TempFolder folder;
  folder.write(
      "log.json",
      R"({"m": {"agg_value": NaN, "value_by_index": {"3": {"prob": NaN, "avg_loss": Infinity,
 "prob_list": [0.5, NaN], "other": {"deep": 1}, "flag": true}}}, "t": {"agg_value": 1}})");
  const EvalLog log = read_eval_log(folder.path() / "log.json");
  EXPECT_EQ(log.at("m").agg_value, std::nullopt);
  const IndexedValue& value = log.at("m").value_by_index.at(0);
  EXPECT_EQ(std::get<Number>(*value.find("prob")), std::nullopt);
  EXPECT_EQ(std::get<Number>(*value.find("avg_loss")), std::numeric_limits<double>::infinity());
  EXPECT_EQ(std::get<std::vector<Number>>(*value.find("prob_list")),
            (std::vector<Number>{0.5, std::nullopt}));
  EXPECT_EQ(value.find("other"), nullptr);
  EXPECT_EQ(std::get<Number>(*value.find("flag")), 1);
  EXPECT_EQ(log.at("t").agg_value, 1);
}

// Other programs may nest what they like, and leave out what is undefined. Only scores of both sets
// make an attack.
TEST(EvalLogTest, AnAttackHasScoresOfBothSets) {
  const TempFolder folder;
  const auto scored_of = [&](const std::string& sets) {
    folder.write("log.json", R"({"m": {"agg_value": 0.5, )" + sets + "}}");
    return read_eval_log(folder.path() / "log.json").at("m").scored;
  };
  const std::string forget = R"("forget": {"value_by_index": {"0": {"score": [1, 3], "x": "y"}}})";
  const auto scored = scored_of(forget + R"(, "holdout": {"agg_value": NaN})");
  ASSERT_TRUE(scored);
  EXPECT_EQ(scored->forget.scores, (attack::ScoreColumn{2}));
  EXPECT_EQ(scored->forget.mean, std::nullopt);  // as the log has it
  EXPECT_TRUE(scored->holdout.keys.list().empty());
  EXPECT_EQ(scored->auc, 0.5);
  const auto gaps = scored_of(R"("forget": {"value_by_index": {"1": {"score": 2}, "0": {}}}, )"
                              R"("holdout": {"value_by_index": null})");
  ASSERT_TRUE(gaps);
  EXPECT_EQ(gaps->forget.keys.list(), (std::vector<std::string>{"1", "0"}));
  EXPECT_EQ(gaps->forget.scores, (attack::ScoreColumn{2, std::nullopt}));
  EXPECT_FALSE(scored_of(forget));
  EXPECT_FALSE(scored_of(forget + R"(, "holdout": 3)"));
  EXPECT_FALSE(scored_of(forget + R"(, "holdout": {"value_by_index": {"0": {"prob": 1}}})"));
}

TEST(EvalLogTest, ValuesOfOtherTypesAreIgnored) {
  const MetricResult result = result_from_json(
      parse_json(R"({"value_by_index": {"0": {"score": [1, "x"], "other": {}}, "1": [2], "2": 3,
                                        "3": {"score": [true]}, "4": {"score": [1, true]}}})",
                 ""),
      "");
  ASSERT_EQ(result.value_by_index.size(), 5U);
  for (const IndexedValue& value : result.value_by_index) EXPECT_TRUE(value.fields.empty());
}

TEST(EvalLogTest, AloneTrueIsOne) {
  const MetricResult result = result_from_json(
      parse_json(R"({"value_by_index": {"0": {"score": true}, "1": {"score": false}}})", ""), "");
  EXPECT_EQ(std::get<Number>(*result.value_by_index.at(0).find("score")), 1);
  EXPECT_EQ(std::get<Number>(*result.value_by_index.at(1).find("score")), 0);
}

TEST(EvalLogTest, SaysWhatIsNoLog) {
  const TempFolder folder;
  const auto error = [&](const std::string& bytes) {
    folder.write("log.json", bytes);
    return error_of([&] { read_eval_log(folder.path() / "log.json"); });
  };
  expect_contains(error("[1]"), "not an evaluation log");
  expect_contains(error("{"), "not valid JSON");
  expect_contains(error(R"({"m": 3})"), "log.json: m");
  expect_contains(error(R"({"m": {"value_by_index": [1]}})"), "value_by_index");
  expect_contains(error(R"({"m": {"forget": {"value_by_index": [1]}, "holdout": {}}})"),
                  "log.json: m.forget");
  expect_contains(error_of([&] { read_eval_log(folder.path() / "absent.json"); }), "absent.json");
}

TEST(EvalLogTest, TheSummaryHoldsWhatWasAskedForAndIsDefined) {
  const TempFolder folder;
  write_summary(folder.path() / "s.json", some_log(), {"prob", "empty"});
  EXPECT_EQ(parse_json(folder.read("s.json"), "s"), Json::parse(R"({"prob": 0.1})"));
}

}  // namespace
}  // namespace palimpsest::eval
