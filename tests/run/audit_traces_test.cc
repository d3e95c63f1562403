#include "palimpsest/run/audit_traces.h"

#include <gtest/gtest.h>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/model/fake_model.h"
#include "tests/run/tiny_tokenizer.h"
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
  for (const std::string& key : gradient_norms_of(attacks)) norms.push_back(*find_order(key));

  FakeModelLoader loader;
  TraceRun run(loader, {.run = {.folder = folder.path() / "journal", .batch_tokens = 64}});
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
  TraceRun run(loader, {.run = {.folder = folder.path() / "journal"}});
  const std::vector<AuditModel> models = {
      {.model = {"a", "a"}, .gradient_norms = {NormOrder::kTwo}},
      {.model = {"b", "b"}, .files = "reference-"}};
  const auto first = trace_audit(run, sets, models, tiny_tokenizer(), {.folder = folder.path()});
  const auto second = trace_audit(run, sets, models, tiny_tokenizer(), {.folder = folder.path()});
  EXPECT_EQ(loader.counts().scored_sequences, 40);
  EXPECT_EQ(second[1].counts.resumed, 20);
  EXPECT_EQ(second[1].holdout, folder.path() / "reference-holdout.jsonl");
}

// What `mia` reads from files and what `eval` keeps in memory give the same scores, to the bit.
TEST(AuditTracesTest, FilesAndMemoryGiveTheSameScores) {
  const TempFolder folder;
  const AuditSets sets = sets_of(40);
  const AttackTable& attacks = default_attack_table();
  const TraceOptions options{.gradient_norms = {NormOrder::kTwo}};
  FakeModelLoader loader;
  TraceRun run(loader, {});
  const auto files = trace_audit(run, sets,
                                 {{.model = {"a", "a"}, .gradient_norms = options.gradient_norms},
                                  {.model = {"b", "b"}, .files = "reference-"}},
                                 tiny_tokenizer(), {.folder = folder.path()});
  const TraceScores read = score_traces(files[0].forget, attacks, {.reference = files[1].forget});

  const auto in_memory = [&](const std::string& name, const TraceOptions& how) {
    LazyModel model(loader, name, name, {});
    const ScoredLists scored =
        score_lists(model, {list_of("forget", sets.forget.examples)}, how, {});
    std::vector<Trace> traces;
    for (size_t i = 0; i < sets.forget.examples.size(); ++i) {
      traces.push_back(to_trace(sets.forget.examples[i], scored.of(0, i), how, tiny_tokenizer()));
    }
    return traces;
  };
  const std::vector<Trace> traces = in_memory("a", options);
  const std::vector<Trace> references = in_memory("b", {});
  for (size_t a = 0; a < attacks.size(); ++a) {
    ASSERT_EQ(read.columns[a].size(), traces.size()) << attacks[a].name << read.lacking[a];
    for (size_t i = 0; i < traces.size(); ++i) {
      const ParameterValues own = attacks[a].values();
      const std::optional<double> score = attacks[a].needs_reference()
                                              ? attacks[a].compare(traces[i], references[i], own)
                                              : attacks[a].score(traces[i], own);
      ASSERT_TRUE(score.has_value());
      EXPECT_EQ(read.columns[a][i], score) << attacks[a].name << " of example " << i;
    }
  }
}

}  // namespace
}  // namespace palimpsest
