#include "palimpsest/run/audit_traces.h"

#include <gtest/gtest.h>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/model/fake_model.h"
#include "tests/run/tiny_tokenizer.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest {
namespace {

AuditSet set_of(const std::string& name, int64_t count, int64_t seed) {
  AuditSet set{.dataset = name};
  for (int64_t i = 0; i < count; ++i) {
    Example example{.index = std::to_string(i)};
    for (int64_t t = 0; t < 8; ++t) {
      example.ids.push_back((seed + i * (t + 1) + t * t + i * i / 20) % 20);
      example.labels.push_back(t < 2 ? kIgnoredLabel : example.ids.back());
    }
    example.ids[0] = seed + i % 8;
    example.ids[1] = i / 8;
    set.examples.push_back(example);
  }
  return set;
}

AuditSets sets_of(int64_t count) {
  return {.forget = set_of("forget.json", count, 1), .holdout = set_of("holdout.json", count, 11)};
}

// Six attacks need one pass of each model an example, and one backward for the gradient.
TEST(AuditTracesTest, SixAttacksTakeOnePassAnExampleAndModel) {
  const TempFolder folder;
  const AuditSets sets = sets_of(50);
  const AttackTable attacks =
      select_attacks(default_attack_table(), "loss,min_k,min_k_plus_plus,zlib,gradnorm,reference");
  std::vector<NormOrder> norms;
  for (const std::string& key : gradient_norms_of(attacks, {})) norms.push_back(*find_order(key));

  FakeModelLoader loader;
  TraceRun run(loader, {.folder = folder.path() / "journal", .batch_tokens = 64});
  const AuditTraceOptions options = {.folder = folder.path() / "traces"};
  const auto target =
      trace_audit(run, sets, {{.model = {"target", "target"}, .gradient_norms = norms}},
                  tiny_tokenizer(), options);
  EXPECT_EQ(loader.counts().scored_sequences, 100);
  EXPECT_EQ(loader.counts().backward_sequences, 100);
  const auto reference = trace_audit(
      run, sets, {{.model = {"other", "other"}, .files = "reference-"}}, tiny_tokenizer(), options);
  EXPECT_EQ(loader.counts().scored_sequences, 200);
  EXPECT_EQ(loader.counts().backward_sequences, 100);

  const TraceScores forget =
      score_traces(target[0].forget, attacks, {.reference = reference[0].forget});
  const TraceScores holdout =
      score_traces(target[0].holdout, attacks, {.reference = reference[0].holdout});
  const MiaReport report = mia({attacks, forget, holdout, false}, {});
  ASSERT_EQ(report.outcomes.size(), 6U);
  for (const AttackOutcome& outcome : report.outcomes) EXPECT_TRUE(outcome.auc) << outcome.attack;
  EXPECT_EQ(loader.counts().scored_sequences, 200);
}

TEST(AuditTracesTest, ASecondRunComputesNothing) {
  const TempFolder folder;
  const AuditSets sets = sets_of(10);
  FakeModelLoader loader;
  TraceRun run(loader, {.folder = folder.path() / "journal"});
  const std::vector<AuditModel> models = {
      {.model = {"a", "a"}, .gradient_norms = {NormOrder::kTwo}},
      {.model = {"b", "b"}, .files = "reference-"}};
  const auto first = trace_audit(run, sets, models, tiny_tokenizer(), {.folder = folder.path()});
  const auto second = trace_audit(run, sets, models, tiny_tokenizer(), {.folder = folder.path()});
  EXPECT_EQ(loader.counts().scored_sequences, 40);
  EXPECT_EQ(second[1].counts.resumed, 20);
  EXPECT_EQ(second[1].holdout, folder.path() / "reference-holdout.jsonl");
}

TEST(AuditTracesTest, AnotherVocabularyIsRefused) {
  AuditSets sets = sets_of(3);
  EXPECT_NO_THROW(require_same_tokens(sets, tiny_tokenizer(), tiny_tokenizer(), "--reference r"));
  const Tokenizer other = Tokenizer::from_texts(
      {.tokenizer = R"({"model": {"type": "BPE", "vocab": {"x": 0, "y": 1}, "merges": []}})"},
      "other");
  const std::string message =
      error_of([&] { require_same_tokens(sets, tiny_tokenizer(), other, "--reference r"); });
  expect_contains(message, "--reference r");
  expect_contains(message, "another vocabulary");
}

}  // namespace
}  // namespace palimpsest
