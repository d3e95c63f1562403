#include "palimpsest/attack/mia_files.h"

#include <gtest/gtest.h>

#include "palimpsest/base/json.h"
#include "tests/attack/score_sets.h"

namespace palimpsest {
namespace {

MiaReport small_report() {
  const AttackTable attacks = select_attacks(default_attack_table(), "loss");
  TraceScores forget = set_of({1.5, std::nullopt, 0}, "a,b");
  forget.examples = {{"0", 0}, {"1", 0}, {"1", 1}};
  // As many as a rate of 50% needs.
  TraceScores holdout = set_of({2, 3, 3, 4, 4, 5}, "a,b");
  holdout.examples = {{"0", 0}, {"x", 0}, {"1", 0}, {"2", 0}, {"3", 0}, {"4", 0}};
  return mia({.attacks = attacks, .forget = forget, .holdout = holdout}, {.fprs = {0.5, 0.1}});
}

// Two attacks, a group column whose name is one of the file's own.
MiaReport full_report() {
  const AttackTable attacks = select_attacks(default_attack_table(), "loss,min_k");
  TraceScores sets[2] = {normal_set(1, 24, 0), normal_set(2, 300, 4)};
  for (TraceScores& set : sets) {
    for (size_t i = 0; i < set.facts.size(); ++i)
      set.facts[i].groups["label"] = i % 2 == 0 ? "a,b" : "c";
    set.columns.push_back(set.columns[0]);
    set.columns[1][0] = 0.5;
    set.lacking.push_back("");
  }
  return mia(
      {.attacks = attacks, .forget = sets[0], .holdout = sets[1], .baseline = {{sets[0], sets[1]}}},
      {.group_keys = {"label"}});
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
  EXPECT_EQ(loss["tpr_at_fpr"][0]["tpr"], 1.0);
  EXPECT_EQ(loss["tpr_at_fpr"][0]["tpr_ci"].size(), 2U);
  EXPECT_EQ(loss["tpr_at_fpr"][0]["realized_fpr"], 0.0);
  EXPECT_EQ(loss["tpr_at_fpr"][0]["expected_fpr"], 4.0 / 7);
  EXPECT_EQ(loss["tpr_at_fpr"][0]["score_at_most"], 1.5);
  EXPECT_TRUE(loss["tpr_at_fpr"][1]["tpr"].is_null());
}

TEST(MiaFilesTest, CsvHasMembersAsPositivesWithNegatedScores) {
  EXPECT_EQ(mia_to_csv(small_report()),
            "label,score,generator,attack,index\n"
            "1,-1.5,\"a,b\",loss,0\n"
            "1,0,\"a,b\",loss,1/1\n"
            "0,-2,\"a,b\",loss,0\n"
            "0,-3,\"a,b\",loss,x\n"
            "0,-3,\"a,b\",loss,1\n"
            "0,-4,\"a,b\",loss,2\n"
            "0,-4,\"a,b\",loss,3\n"
            "0,-5,\"a,b\",loss,4\n");
}

TEST(MiaFilesTest, CsvWithoutAModelHasNoGenerator) {
  MiaReport report = small_report();
  report.model = "";
  EXPECT_TRUE(mia_to_csv(report).starts_with("label,score,attack,index\n1,-1.5,loss,0\n"));
}

TEST(MiaFilesTest, JsonHoldsWhatIsSaidOfEachAttack) {
  const MiaReport report = full_report();
  const Json file = parse_json(mia_to_json(report), "mia.json");
  const Json& loss = file["loss"];
  EXPECT_EQ(loss["verdict"]["words"], report.outcomes[0].verdict->words());
  EXPECT_FALSE(loss["verdict"]["action"].get<std::string>().empty());
  EXPECT_EQ(loss["groups"].size(), 2U);
  EXPECT_EQ(loss["groups"][0]["by"], "label");
  EXPECT_EQ(loss["groups"][0]["group"], "a,b");
  EXPECT_EQ(loss["groups"][0]["forget"], 12);
  EXPECT_EQ(loss["groups"][0]["auc"], *report.outcomes[0].groups[0].auc);
  EXPECT_EQ(loss["decision"]["score_at_most"], report.outcomes[0].decision->score_at_most);
  EXPECT_EQ(loss["decision"]["tpr_ci"].size(), 2U);
  EXPECT_EQ(loss["against_baseline"]["difference"], 0.0);
  EXPECT_EQ(loss["against_baseline"]["p_value"], 1.0);
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
  EXPECT_EQ(audit["power"]["examples_of_each_set"], 522);
  EXPECT_TRUE(audit["blind_baseline"].is_null());
  EXPECT_EQ(audit["comparisons"].size(), 1U);
  EXPECT_EQ(audit["comparisons"][0]["attack"], "loss");
  EXPECT_EQ(audit["comparisons"][0]["other"], "min_k");
  EXPECT_EQ(audit["comparisons"][0]["holm_p_value"], *report.comparisons[0].holm_p_value);
  EXPECT_EQ(audit["notes"].size(), report.notes.size());
  EXPECT_EQ(audit["false_discovery_rate"], 0.1);
}

TEST(MiaFilesTest, CsvHasTheGroupColumns) {
  const std::string csv = mia_to_csv(full_report());
  EXPECT_TRUE(csv.starts_with("label,score,generator,attack,index,group_label\n1,"));
  EXPECT_NE(csv.find(",m,loss,0,\"a,b\"\n"), std::string::npos);
  EXPECT_NE(csv.find(",m,min_k,1,c\n"), std::string::npos);
}

}  // namespace
}  // namespace palimpsest
