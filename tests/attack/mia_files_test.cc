#include "palimpsest/attack/mia_files.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/internal/json.h"
#include "tests/attack/score_sets.h"
#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

MiaReport small_report() {
  const AttackTable attacks = select_attacks(default_attack_table(), "loss");
  TraceScores forget = set_of({1.5, std::nullopt, 0}, "a,b");
  forget.examples = {{"0", 0}, {"1", 0}, {"1", 1}};
  TraceScores holdout = set_of({2, 3}, "a,b");
  holdout.examples = {{"0", 0}, {"x", 0}};
  return mia({.attacks = attacks, .forget = forget, .holdout = holdout}, {.fprs = {0.5, 0.1}});
}

// Two attacks, a group column whose name is one of the file's own.
MiaReport full_report() {
  const AttackTable attacks = select_attacks(default_attack_table(), "loss,min_k");
  TraceScores sets[2] = {normal_set(1, 24, 0), normal_set(2, 300, 4)};
  for (TraceScores& set : sets) {
    for (size_t i = 0; i < set.facts.size(); ++i) {
      set.facts[i].groups["label"] = i % 2 == 0 ? "a,b" : "c";
      set.facts[i].groups["author"] = (&set == sets ? "f" : "h") + std::to_string(i / 3);
    }
    set.columns.push_back(set.columns[0]);
    set.columns[1][0] = 0.5;
    set.lacking.push_back("");
  }
  TraceScores baseline = sets[0];
  for (ScoreColumn& column : baseline.columns) column = normal_set(3, 24, 2).columns[0];
  return mia({.attacks = attacks,
              .forget = sets[0],
              .holdout = sets[1],
              .baseline = {{baseline, sets[1]}}},
             {.clusters = {.key = "author"}, .group_keys = {"label"}});
}

TEST(MiaFilesTest, JsonHasTheDocumentedFields) {
  const Json file = parse_json(mia_to_json(small_report()), "mia.json");
  const Json& loss = file["loss"];
  EXPECT_EQ(loss["auc"], 1.0);
  EXPECT_EQ(loss["agg_value"], 1.0);
  ASSERT_EQ(loss["auc_ci"].size(), 2U);
  ASSERT_EQ(loss["auc_ci_delong"].size(), 2U);
  EXPECT_EQ(loss["forget"]["agg_value"], 0.75);
  EXPECT_EQ(loss["forget"]["value_by_index"]["0"]["score"], 1.5);
  EXPECT_TRUE(loss["forget"]["value_by_index"]["1"]["score"].is_null());
  EXPECT_EQ(loss["forget"]["value_by_index"]["1/1"]["score"], 0.0);
  EXPECT_EQ(loss["holdout"]["value_by_index"]["x"]["score"], 3.0);
  EXPECT_TRUE(loss["tpr_at_fpr"][1]["tpr"].is_null());
  EXPECT_TRUE(loss["parameters"].empty());
  EXPECT_TRUE(loss["in_family"].get<bool>());
}

TEST(MiaFilesTest, AnAuditIsReadAgainAndWrittenTheSame) {
  const MiaRecord record = {{"palimpsest", "test"}, {"forget traces", "f.jsonl"}};
  for (const MiaReport& report : {small_report(), full_report()}) {
    const std::string text = mia_to_json(report, record);
    const std::optional<MiaFile> file = mia_from_json(text, "mia.json");
    ASSERT_TRUE(file);
    EXPECT_EQ(mia_to_json(file->report, file->record), text);
    EXPECT_EQ(file->record, record);
    EXPECT_EQ(file->report.outcomes[0].title, report.outcomes[0].title);
    EXPECT_EQ(file->report.outcomes[0].name, report.outcomes[0].name);
    EXPECT_EQ(file->report.outcomes[0].attack, report.outcomes[0].attack);
    EXPECT_EQ(file->report.outcomes[0].forget.undefined, report.outcomes[0].forget.undefined);
    EXPECT_EQ(file->report.outcomes[0].forget.keys.list(), report.forget.list());
    EXPECT_EQ(file->report.outcomes[0].parameters, report.outcomes[0].parameters);
    EXPECT_EQ(file->report.leading_attack(), report.leading_attack());
    EXPECT_EQ(file->report.groups.size(), report.groups.size());
    EXPECT_EQ(file->report.clusters.names.size(),
              report.clusters.is_given() ? report.clusters.names.size() : 0U);
  }
}

// The file has the name alone.
TEST(MiaFilesTest, TheRowOfASelectedAttackIsReadFromItsName) {
  MiaReport report = small_report();
  report.outcomes.resize(1);
  report.comparisons.clear();
  report.highest_auc = report.best_decision = std::nullopt;
  report.outcomes[0].name = "surp:k=0.3:entropy=1";
  report.outcomes[0].attack = "surp";
  const MiaReport read = mia_from_json(mia_to_json(report, {}), "mia.json")->report;
  EXPECT_EQ(read.outcomes[0].name, "surp:k=0.3:entropy=1");
  EXPECT_EQ(read.outcomes[0].attack, "surp");
  EXPECT_TRUE(read.outcomes[0].name_has_parameters());
}

TEST(MiaFilesTest, AThresholdOfZeroHasNoSign) {
  Json file = parse_json(mia_to_json(small_report()), "mia.json");
  file["loss"]["tpr_at_fpr"][0]["score_at_most"] = 0.0;
  const std::optional<MiaFile> read = mia_from_json(file.dump(), "mia.json");
  ASSERT_TRUE(read);
  EXPECT_FALSE(std::signbit(read->report.outcomes[0].rates.tpr_at_fpr[0]->threshold));
}

TEST(MiaFilesTest, NamesAndFlagsAreKept) {
  MiaReport report = small_report();
  report.title = "Case 17";
  report.model_name = "Model A";
  const Json audit = parse_json(mia_to_json(report), "mia.json")["audit"];
  EXPECT_EQ(audit["title"], "Case 17");
  EXPECT_EQ(audit["model_name"], "Model A");
  ASSERT_EQ(audit["flags"].size(), 1U);
  EXPECT_EQ(audit["flags"][0]["code"], "small_sample");
  EXPECT_EQ(audit["flags"][0]["severity"], "caution");
  const std::optional<MiaFile> file = mia_from_json(mia_to_json(report), "mia.json");
  EXPECT_EQ(file->report.title, "Case 17");
  EXPECT_EQ(file->report.shown_model(), "Model A");
  EXPECT_EQ(file->report.flags, report.flags);
}

// The flags of the file are those that the audit raised; only files that have none are judged anew.
TEST(MiaFilesTest, FlagsAreReadAndNotRaisedAgain) {
  MiaReport report = small_report();
  const std::vector<RedFlag> raised = report.flags;
  ASSERT_EQ(raised.size(), 1U);
  report.flags.push_back({"collapse", false, "Possible collapse", "It may be broken."});
  EXPECT_EQ(mia_from_json(mia_to_json(report), "mia.json")->report.flags, report.flags);
  Json older = parse_json(mia_to_json(report), "mia.json");
  older["audit"].erase("flags");
  EXPECT_EQ(mia_from_json(older.dump(), "mia.json")->report.flags, raised);
}

TEST(MiaFilesTest, ARowThatStatesNoParametersHasNone) {
  MiaReport report;
  report.outcomes.push_back({{.name = "own", .attack = "own"}});
  const Json file = parse_json(mia_to_json(report), "mia.json");
  EXPECT_EQ(file["own"]["parameters"], Json::object());
}

TEST(MiaFilesTest, WhatCanBePickedOutIsKept) {
  const MiaReport report = full_report();
  ASSERT_TRUE(report.answer.picked_out);
  const std::optional<MiaFile> file = mia_from_json(mia_to_json(report), "mia.json");
  EXPECT_EQ(file->report.answer.picked_out, report.answer.picked_out);
}

TEST(MiaFilesTest, WhatIsNoAuditIsRefused) {
  Json file = parse_json(mia_to_json(small_report()), "mia.json");
  file["audit"]["palimpsest_mia"] = kMiaFileVersion + 1;
  expect_contains(error_of([&] { mia_from_json(file.dump(), "run/mia.json"); }),
                  "run/mia.json: this mia.json is of a newer version");
  file["audit"]["palimpsest_mia"] = kMiaFileVersion;
  file["audit"]["seed"] = 3e97;
  expect_contains(error_of([&] { mia_from_json(file.dump(), "mia.json"); }), "whole number");
  file["audit"].erase("seed");
  expect_contains(error_of([&] { mia_from_json(file.dump(), "mia.json"); }),
                  "not what `palimpsest mia` writes (found key 'seed' not found)");
  expect_contains(error_of([] { mia_from_json("[]", "mia.json"); }), "not what");
  EXPECT_FALSE(mia_from_json("{}", "mia.json"));  // version 0.1 stated none
}

// Each wrote or read beyond the end of a list.
TEST(MiaFilesTest, ListsOfDifferentLengthsAreRefused) {
  const Json file = parse_json(mia_to_json(full_report()), "mia.json");
  const auto failure = [&](const auto& change) {
    Json changed = file;
    change(changed);
    return error_of([&] { mia_from_json(changed.dump(), "mia.json"); });
  };
  for (const char* set : {"forget", "holdout"}) {
    expect_contains(failure([&](Json& json) {
                      Json& values = json["min_k"][set]["value_by_index"];
                      values["more"] = Json(values.front());
                    }),
                    "found a different number of examples than the first attack's");
    expect_contains(failure([&](Json& json) { json["audit"]["clusters"][set].erase("0"); }),
                    "found a different number of examples in clusters");
  }
  expect_contains(failure([](Json& json) { json["min_k"]["tpr_at_fpr"].erase(0); }),
                  "a different number of rates");
  expect_contains(failure([](Json& json) { json["min_k"]["groups"].erase(0); }),
                  "a different number of groups");
}

TEST(MiaFilesTest, CsvHasMembersAsPositivesWithNegatedScores) {
  EXPECT_EQ(mia_to_csv(small_report()),
            "label,score,generator,attack,index\n"
            "1,-1.5,\"a,b\",loss,0\n"
            "1,0,\"a,b\",loss,1/1\n"
            "0,-2,\"a,b\",loss,0\n"
            "0,-3,\"a,b\",loss,x\n");
}

TEST(MiaFilesTest, CsvWithoutAModelHasNoGenerator) {
  MiaReport report = small_report();
  report.model = "";
  EXPECT_TRUE(mia_to_csv(report).starts_with("label,score,attack,index\n1,-1.5,loss,0\n"));
}

TEST(MiaFilesTest, CsvForSpreadsheets) {
  MiaReport report = small_report();
  report.model = "=cmd";
  report.outcomes[0].holdout.keys = ExampleKeys({"0", "@x"});
  const std::string csv = mia_to_csv(report, true);
  expect_contains(csv, "1,-1.5,'=cmd,loss,0\n");
  expect_contains(csv, "0,-3,'=cmd,loss,'@x\n");
}

TEST(MiaFilesTest, JsonHoldsWhatIsSaidOfEachAttack) {
  const MiaReport report = full_report();
  const Json file = parse_json(mia_to_json(report), "mia.json");
  const Json& loss = file["loss"];
  EXPECT_EQ(loss["auc_ci_simultaneous"].size(), 2U);
  EXPECT_EQ(loss["auc_ci_equivalence"].size(), 2U);
  EXPECT_FALSE(loss.contains("auc_ci_bootstrap"));
  EXPECT_EQ(file["min_k"]["parameters"]["k"], 0.2);
  EXPECT_EQ(loss["groups"].size(), 2U);
  EXPECT_EQ(loss["groups"][0]["by"], "label");
  EXPECT_EQ(loss["groups"][0]["group"], "a,b");
  EXPECT_EQ(loss["groups"][0]["forget"], 12);
  EXPECT_EQ(loss["groups"][0]["auc"], *report.outcomes[0].groups[0].auc);
  EXPECT_EQ(loss["decision"]["score_at_most"], report.outcomes[0].decision->score_at_most);
  EXPECT_EQ(loss["decision"]["tpr_ci"].size(), 2U);
  EXPECT_EQ(loss["against_baseline"]["difference"],
            report.outcomes[0].against_baseline->paired.difference_value());
  EXPECT_EQ(loss["against_baseline"]["difference_ci_simultaneous"].size(), 2U);
  EXPECT_EQ(loss["tpr_at_fpr"][0]["tpr_ci"].size(), 2U);
  EXPECT_GT(loss["tpr_at_fpr"][0]["expected_fpr"].get<double>(), 0.1);
  EXPECT_GT(loss["recognised"].size(), 10U);
  const Json& record = loss["recognised"][0];
  const Json& entry = loss["forget"]["value_by_index"][record["index"].get<std::string>()];
  EXPECT_EQ(entry["q_value"], record["q_value"]);
  EXPECT_LE(entry["q_value"].get<double>(), 0.1);
  EXPECT_FALSE(loss["holdout"]["value_by_index"]["0"].contains("p_value"));
}

TEST(MiaFilesTest, JsonHoldsWhatConcernsAllAttacks) {
  const MiaReport report = full_report();
  const Json audit = parse_json(mia_to_json(report), "mia.json")["audit"];
  EXPECT_EQ(audit["model"], "m");
  EXPECT_EQ(audit["forget"], 24);
  EXPECT_EQ(audit["answer"]["verdict"], name_of(report.answer.verdict));
  EXPECT_EQ(audit["answer"]["clusters"]["forget"], 8);
  EXPECT_EQ(audit["clusters"]["key"], "author");
  EXPECT_EQ(audit["clusters"]["forget"]["3"], "f1");
  EXPECT_EQ(audit["clusters"]["holdout"]["299"], "h99");
  EXPECT_TRUE(audit["blind_baseline"].is_null());
  EXPECT_EQ(audit["comparisons"].size(), 1U);
  EXPECT_EQ(audit["comparisons"][0]["attack"], "loss");
  EXPECT_EQ(audit["comparisons"][0]["other"], "min_k");
  EXPECT_EQ(audit["comparisons"][0]["holm_p_value"], *report.comparisons[0].holm_p_value);
  EXPECT_EQ(audit["notes"].size(), report.notes.size());
  EXPECT_EQ(audit["false_discovery_rate"], 0.1);
}

TEST(MiaFilesTest, JsonSaysHowItWasMade) {
  const Json file =
      parse_json(mia_to_json(small_report(), {{"palimpsest", "9.9"}, {"seed", "0"}}), "mia.json");
  EXPECT_EQ(file["audit"]["record"]["palimpsest"], "9.9");
  EXPECT_TRUE(file["audit"]["clusters"].is_null());  // none were given
}

TEST(MiaFilesTest, CsvHasTheGroupColumns) {
  const std::string csv = mia_to_csv(full_report());
  EXPECT_TRUE(csv.starts_with("label,score,generator,attack,index,group_label\n1,"));
  EXPECT_NE(csv.find(",m,loss,0,\"a,b\"\n"), std::string::npos);
  EXPECT_NE(csv.find(",m,min_k,1,c\n"), std::string::npos);
}

}  // namespace
}  // namespace palimpsest::attack
