#include "palimpsest/eval/internal/retain_log.h"

#include <gtest/gtest.h>

#include "palimpsest/eval/internal/eval_log.h"
#include "palimpsest/eval/internal/result_hash.h"
#include "tests/eval/log_setup.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::eval {
namespace {

const AttackIdentity kMinK{.metric = "mia_min_k",
                           .handler = "mia_min_k",
                           .parameters = {{"k", 0.2}},
                           .data = {{"forget", "f"}, {"holdout", "h"}}};

RetainLog log_with(const std::string& name, double k, const std::string& forget = "f") {
  RetainLog log{.path = "R_EVAL.json", .metrics = {}, .record = RunRecord{.name = "R"}};
  log.metrics[name] = attack_result({1, 2}, {3, 4});
  log.record->metrics[name] = {.handler = "mia_min_k",
                               .source = {.data = {{"forget", forget}, {"holdout", "h"}}},
                               .parameters = AttackParameters{{"k", k}}};
  return log;
}

TEST(RetainLogTest, TheSameAttackUnderAnyName) {
  std::string note;
  EXPECT_NE(find_attack(log_with("audit_min_k", 0.2), kMinK, note), nullptr);
  EXPECT_EQ(note, "");
}

TEST(RetainLogTest, OtherParametersOrExamplesAreNotTheSame) {
  std::string note;
  EXPECT_EQ(find_attack(log_with("mia_min_k", 0.4), kMinK, note), nullptr);
  expect_contains(note, "mia_min_k (k=0.4)");
  expect_contains(note, "mia_min_k (k=0.2)");
  EXPECT_EQ(find_attack(log_with("mia_min_k", 0.2, "other"), kMinK, note), nullptr);
  expect_contains(note, "other examples");
}

// open-unlearning writes no record.
TEST(RetainLogTest, WithoutARecordTheNameCounts) {
  RetainLog log = log_with("mia_min_k", 0.4);
  log.record.reset();
  std::string note;
  EXPECT_NE(find_attack(log, kMinK, note), nullptr);
  expect_contains(note, "does not say with which parameters");
  AttackIdentity loss = kMinK;
  loss.metric = "mia_loss";
  EXPECT_EQ(find_attack(log, loss, note), nullptr);
  expect_contains(note, "no scores of mia_loss");
  // An older record does not tell parameters either.
  RetainLog older = log_with("mia_min_k", 0.4);
  older.record->metrics["mia_min_k"].parameters.reset();
  EXPECT_NE(find_attack(older, kMinK, note), nullptr);
}

// A user may give two attacks the same name.
TEST(RetainLogTest, AnotherAttackOfTheSameNameIsNotTheSame) {
  AttackIdentity loss = {.metric = "leak", .handler = "mia_loss", .parameters = {}, .data = {}};
  RetainLog log = log_with("leak", 0.2);
  std::string note;
  EXPECT_EQ(find_attack(log, loss, note), nullptr);
  expect_contains(note, "has leak of another attack, mia_min_k");
  // An older record says of which attack the result is, but not with which parameters.
  log.record->metrics["leak"].parameters.reset();
  EXPECT_EQ(find_attack(log, loss, note), nullptr);
  log.record->metrics["leak"].handler.clear();
  EXPECT_NE(find_attack(log, loss, note), nullptr);
  log.record->metrics.clear();
  EXPECT_NE(find_attack(log, loss, note), nullptr);
}

TEST(RetainLogTest, TheRecordIsReadBesideTheLog) {
  const TempFolder folder;
  write_eval_log(folder.path() / "R_EVAL.json", {{"mia_loss", attack_result({1}, {2})}});
  EXPECT_FALSE(read_retain_log((folder.path() / "R_EVAL.json").string()).record);
  write_run_record(folder.path() / "R_RUN.json", {.name = "R", .model_fingerprint = "m"});
  const RetainLog log = read_retain_log((folder.path() / "R_EVAL.json").string());
  ASSERT_TRUE(log.record);
  EXPECT_EQ(log.record->model_fingerprint, "m");
  EXPECT_TRUE(log.metrics.contains("mia_loss"));
  expect_contains(error_of([&] { read_retain_log("absent_EVAL.json"); }), "absent_EVAL.json");
}

// A yardstick that was edited by hand would judge every model that is compared with it.
TEST(RetainLogTest, AChangedLogIsRefused) {
  const TempFolder folder;
  const std::string path = (folder.path() / "R_EVAL.json").string();
  const MetricResult result = attack_result({1, 2}, {3, 4});
  write_eval_log(path, {{"mia_loss", result}});
  RunRecord record{.name = "R"};
  record.metrics["mia_loss"] = {.result_hash = result_hash(result)};
  write_run_record(folder.path() / "R_RUN.json", record);
  EXPECT_TRUE(read_retain_log(path).metrics.contains("mia_loss"));
  write_eval_log(path, {{"mia_loss", attack_result({1, 2}, {3, 5})}});
  const std::string message = error_of([&] { read_retain_log(path); });
  expect_contains(message, "R_EVAL.json");
  expect_contains(message, "mia_loss");
  expect_contains(message, "changed after it was written");
}

}  // namespace
}  // namespace palimpsest::eval
