// Audits of sets whose texts and token ids are too large to be kept: the results must be those of
// sets that are kept.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <numeric>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/trace/trace_file.h"
#include "tests/attack/score_sets.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::attack {
namespace {

// Traces with texts and token ids; every fifth text of one seed is also that of another seed.
std::shared_ptr<trace::TraceSet> made_up(uint64_t seed, int64_t count, int64_t tokens) {
  auto set = std::make_shared<trace::TraceSet>();
  set->header.model = "m";
  for (int64_t i = 0; i < count; ++i) {
    Random random = Random(i % 5 == 0 ? 0 : seed).split(static_cast<uint64_t>(i));
    trace::Trace trace{.index = std::to_string(i), .num_labels = tokens};
    trace.text = random_text(random, tokens);
    trace.prompt = "Say something.";
    trace.groups["author"] = std::to_string(i / 4) + (seed == 1 ? "f" : "h");
    trace.logprob.emplace();
    trace.mean.emplace();
    trace.var.emplace();
    trace.label.emplace();
    trace.argmax.emplace();
    Random own = Random(seed).split(static_cast<uint64_t>(i)).split(1);
    for (int64_t t = 0; t < tokens; ++t) {
      trace.logprob->push_back(-3 * own.uniform());
      trace.mean->push_back(-2 * own.uniform());
      trace.var->push_back(own.uniform());
      trace.label->push_back(static_cast<int64_t>(own.below(30)));
      trace.argmax->push_back(static_cast<int64_t>(own.below(30)));
    }
    trace::round_to_float32(trace);
    set->traces.push_back(std::move(trace));
  }
  return set;
}

std::filesystem::path written(const trace::TraceSet& set, const std::filesystem::path& path) {
  trace::TraceWriter writer(path, set.header);
  for (const trace::Trace& trace : set.traces) writer.write(trace);
  writer.commit();
  return path;
}

int64_t kept_content(const TraceScores& scores) {
  return std::accumulate(
      scores.facts.begin(), scores.facts.end(), int64_t{0},
      [](int64_t sum, const ExampleFacts& facts) { return sum + content_bytes(facts); });
}

struct ScoredSets {
  AttackTable attacks = select_attacks(default_attack_table(), "loss,min_k,min_k_plus_plus,zlib");
  TraceScores forget;
  TraceScores holdout;

  ScoredSets(const trace::TraceInput& of_forget, const trace::TraceInput& of_holdout, int64_t kept)
      : forget(score_traces(of_forget, attacks, {.kept_bytes = kept})),
        holdout(score_traces(of_holdout, attacks, {.kept_bytes = kept})) {}

  std::string found() const {
    return mia_to_json(mia({.attacks = attacks, .forget = forget, .holdout = holdout},
                           {.allow_overlap = true, .group_keys = {}}));
  }
};

class LargeSetsTest : public testing::Test {
 protected:
  std::shared_ptr<trace::TraceSet> forget_ = made_up(1, 120, 12);
  std::shared_ptr<trace::TraceSet> holdout_ = made_up(2, 140, 12);
  TempFolder folder_;
};

TEST_F(LargeSetsTest, AuditsFindTheSameFromFilesAndFromMemory) {
  const std::string expected = ScoredSets(forget_, holdout_, kKeptBytes).found();
  // Both of what the texts are read for again: the blind baseline, and whether neighbours share
  // words.
  expect_contains(expected, "\"forget_texts\": 120");
  expect_contains(expected, "\"shared_texts\": 24");
  EXPECT_EQ(ScoredSets(forget_, holdout_, 0).found(), expected);
  for (const char* ending : {".jsonl", ".safetensors"}) {
    const auto forget = written(*forget_, folder_.path() / ("forget" + std::string(ending)));
    const auto holdout = written(*holdout_, folder_.path() / ("holdout" + std::string(ending)));
    EXPECT_EQ(ScoredSets(forget, holdout, kKeptBytes).found(), expected);
    EXPECT_EQ(ScoredSets(forget, holdout, 0).found(), expected) << ending;
    EXPECT_EQ(ScoredSets(forget, holdout, 5000).found(), expected);  // dropped on the way
    EXPECT_EQ(ScoredSets(forget, holdout_, 0).found(), expected);
  }
}

TEST_F(LargeSetsTest, WordsTakeThePlaceOfIdsWhereThereAreNone) {
  for (auto& set : {forget_, holdout_}) {
    for (trace::Trace& trace : set->traces) {
      trace.label.reset();
      trace.argmax.reset();
    }
  }
  const std::string expected = ScoredSets(forget_, holdout_, kKeptBytes).found();
  expect_contains(expected, "\"rare\"");
  EXPECT_EQ(ScoredSets(forget_, holdout_, 0).found(), expected);
  // Some traces with ids, and some without: this can be split only if all texts are kept.
  forget_->traces[0].label.emplace(12, 3);
  expect_contains(ScoredSets(forget_, holdout_, kKeptBytes).found(), "\"rare\"");
  expect_contains(ScoredSets(forget_, holdout_, 0).found(),
                  "no split into common and rare tokens: in sets of this size, all traces need");
}

TEST_F(LargeSetsTest, WhatIsKeptDoesNotGrowWithTheTokens) {
  const ScoredSets small(forget_, holdout_, kKeptBytes);
  EXPECT_GT(kept_content(small.forget), 0);
  for (const int64_t tokens : {12, 1200}) {
    const TraceScores scores =
        score_traces(made_up(1, 120, tokens), small.attacks, {.kept_bytes = 10'000});
    EXPECT_EQ(kept_content(scores), 0);
    for (const ExampleFacts& facts : scores.facts) {
      ASSERT_TRUE(facts.dropped);
      EXPECT_LE(facts.dropped->unigrams.size(), kKeptUnigrams);
    }
    EXPECT_EQ(scores.dropped.labels.size(), 30U);  // the vocabulary
  }
}

TEST_F(LargeSetsTest, AFileThatChangedMeanwhileIsNoticed) {
  const auto forget = written(*forget_, folder_.path() / "forget.jsonl");
  const auto holdout = written(*holdout_, folder_.path() / "holdout.jsonl");
  const ScoredSets scored(forget, holdout, 0);
  forget_->traces[3].text = "another text";
  written(*forget_, forget);
  expect_contains(error_of([&] { scored.found(); }), "the text of the example '3' has changed");
  forget_->traces.resize(50);
  forget_->traces[3].text = made_up(1, 4, 12)->traces[3].text;
  written(*forget_, forget);
  expect_contains(error_of([&] { scored.found(); }), "the trace 51 no longer exists");
}

}  // namespace
}  // namespace palimpsest::attack
