#include "palimpsest/evidence/plan.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/file.h"
#include "tests/evidence/contains_all.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::evidence {
namespace {

Input input(const std::string& role, char digit) {
  return {.role = role,
          .path = role + ".file",
          .files = {{role, 1, std::string(64, digit)}},
          .sha256 = std::string(64, digit)};
}

Plan some_plan() {
  return {.planned = "2026-11-01T10:00:00Z",
          .version = "0.1.0",
          .settings = settings_of({.source = audit::AuditTraces{}}),
          .inputs = {input("forget data", 'a'), input("holdout data", 'b')},
          .sample = PlannedSample{.forget = 40,
                                  .holdout = 60,
                                  .forget_clusters = 2,
                                  .holdout_clusters = 3,
                                  .would_detect = 0.75}};
}

TEST(PlanTest, ReadsWhatItWrote) {
  const TempFolder folder;
  const std::string text = plan_to_text(some_plan());
  const Plan plan = read_plan(folder.write("plan.json", text));
  EXPECT_EQ(plan_to_text(plan), text);
  EXPECT_EQ(plan.settings, some_plan().settings);
  EXPECT_EQ(plan.sample, some_plan().sample);
}

TEST(PlanTest, RefusesWhatIsNoPlan) {
  const TempFolder folder;
  const auto refused = [&](const std::string& text) {
    return error_of([&] { read_plan(folder.write("plan.json", text)); });
  };
  expect_all(refused("{}"), {"plan.json", "not a plan"});
  expect_all(refused("[]"), {"not a plan"});
  expect_all(refused(R"({"palimpsest_plan": 2})"), {"plan.json", "2"});
  expect_all(refused(R"({"palimpsest_plan": 1})"), {"planned"});
  expect_contains(error_of([&] { read_plan(folder.path() / "none.json"); }), "none.json");
}

TEST(PlanTest, OtherDataAreRefusedByName) {
  const Plan plan = some_plan();
  EXPECT_NO_THROW(require_planned(plan, plan.inputs));
  expect_all(error_of([&] {
               require_planned(plan, {input("forget data", 'c'), input("holdout data", 'b')});
             }),
             {"forget data", "aaaa", "cccc"});
  expect_all(error_of([&] { require_planned(plan, {input("forget data", 'a')}); }),
             {"holdout data"});
}

TEST(PlanTest, OnlyTheAuditedModelMayBeLeftOpen) {
  Plan plan = some_plan();
  std::vector<Input> inputs = plan.inputs;
  inputs.push_back(input("model", 'm'));
  inputs.push_back(input("tokenizer and chat template", 't'));
  EXPECT_NO_THROW(require_planned(plan, inputs));
  plan.inputs.push_back(input("model", 'n'));
  expect_all(error_of([&] { require_planned(plan, inputs); }),
             {"this does not match the model of the plan"});
  plan.inputs.pop_back();
  inputs.push_back(input("baseline model", 'b'));
  expect_all(error_of([&] { require_planned(plan, inputs); }), {"no baseline model"});
}

TEST(PlanTest, TheSampleCountsRecordsAndClusters) {
  const TempFolder folder;
  std::string forget;
  std::string holdout;
  for (int i = 0; i < 40; ++i) {
    forget += R"({"question": "q", "answer": "a", "author": "f)" + std::to_string(i / 20) + "\"}\n";
    holdout += R"({"question": "q", "answer": "a", "author": "h)" + std::to_string(i / 5) + "\"}\n";
  }
  audit::AuditModels models;
  models.data.forget.name = folder.write("forget.jsonl", forget).string();
  models.data.holdout.name = folder.write("holdout.jsonl", holdout).string();
  audit::AuditSpec spec{.source = models};
  PlannedSample sample = *planned_sample(spec);
  EXPECT_EQ(sample.forget, 40);
  EXPECT_EQ(sample.forget_clusters, 40);
  ASSERT_TRUE(sample.would_detect);
  EXPECT_GT(*sample.would_detect, 0.5);
  spec.options.clusters.key = "author";
  sample = *planned_sample(spec);
  EXPECT_EQ(sample.forget_clusters, 2);
  EXPECT_EQ(sample.holdout_clusters, 8);
  spec.options.clusters.key = "publisher";
  expect_all(error_of([&] { planned_sample(spec); }), {"publisher", "forget.jsonl"});
}

}  // namespace
}  // namespace palimpsest::evidence
