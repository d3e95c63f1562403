#include "palimpsest/attack/mia_files.h"

#include <gtest/gtest.h>

#include "palimpsest/base/json.h"

namespace palimpsest {
namespace {

MiaReport small_report() {
  const AttackTable attacks = select_attacks(default_attack_table(), "loss");
  const TraceScores forget{.header = {.model = "a,b"},
                           .examples = {{"0", 0}, {"1", 0}, {"1", 1}},
                           .columns = {{1.5, std::nullopt, 0}},
                           .lacking = {""}};
  const TraceScores holdout{.header = {.model = "a,b"},
                            .examples = {{"0", 0}, {"x", 0}},
                            .columns = {{2, 3}},
                            .lacking = {""}};
  return mia({.attacks = attacks, .forget = forget, .holdout = holdout}, {.fprs = {0.5, 0.1}});
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
  EXPECT_EQ(loss["tpr_at_fpr"][0]["score_at_most"], 1.5);
  EXPECT_TRUE(loss["tpr_at_fpr"][1]["tpr"].is_null());
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

}  // namespace
}  // namespace palimpsest
