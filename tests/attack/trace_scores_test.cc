#include "palimpsest/attack/trace_scores.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace palimpsest::attack {
namespace {

const std::string kHeader = "{\"palimpsest_trace\": 1, \"model\": \"m\"}\n";

TEST(TraceScoresTest, ScoresEveryTraceWithEveryAttack) {
  TempFolder folder;
  const auto path = folder.write(
      "t.jsonl", kHeader +
                     "{\"index\": 0, \"num_labels\": 2, \"logprob\": [-1, -3], \"text\": \"abc\"}\n"
                     "{\"index\": 1, \"alternative\": 1, \"num_labels\": 0}\n");
  const AttackTable attacks = select_attacks(default_attack_table(), "loss,min_k,zlib");
  const TraceScores scores = score_traces(path, attacks, {});
  ASSERT_EQ(scores.examples.size(), 2U);
  EXPECT_EQ(scores.examples[0].key(), "0");
  EXPECT_EQ(scores.examples[1].key(), "1/1");
  EXPECT_EQ(scores.columns[0], (std::vector<std::optional<double>>{2, std::nullopt}));
  EXPECT_EQ(scores.columns[1], (std::vector<std::optional<double>>{1, 0}));
  EXPECT_EQ(scores.columns[2], (std::vector<std::optional<double>>{2.0 / 11, std::nullopt}));
  EXPECT_EQ(scores.lacking, std::vector<std::string>(3));
  ASSERT_EQ(scores.facts.size(), 2U);
  EXPECT_EQ(scores.facts[0].text, "abc");
  EXPECT_EQ(scores.facts[0].num_labels, 2);
  EXPECT_FALSE(scores.facts[1].text);
}

TEST(TraceScoresTest, CountsTheModelsChoicesOverAllTraces) {
  TempFolder folder;
  const auto path = folder.write(
      "t.jsonl",
      kHeader +
          "{\"index\": 0, \"num_labels\": 2, \"logprob\": [-1, -3], \"argmax\": [5, 7]}\n"
          "{\"index\": 1, \"num_labels\": 1, \"logprob\": [-2], \"argmax\": [7]}\n"
          "{\"index\": 2, \"num_labels\": 1, \"logprob\": [-2]}\n");
  const AttackTable attacks = select_attacks(default_attack_table(), "loss");
  const TraceScores scores = score_traces(path, attacks, {});
  EXPECT_EQ(scores.argmax_counts, (std::unordered_map<int64_t, int64_t>{{5, 1}, {7, 2}}));
  EXPECT_EQ(scores.facts[0].logprob_sum, -4);
}

TEST(TraceScoresTest, SaysWhatTheFirstUnsuitableTraceLacks) {
  TempFolder folder;
  const auto path =
      folder.write("t.jsonl", kHeader +
                                  "{\"index\": 0, \"num_labels\": 1, \"logprob\": [-1]}\n"
                                  "{\"index\": 1, \"num_labels\": 1, \"avg_loss\": 1}\n");
  const AttackTable attacks = select_attacks(default_attack_table(), "loss,min_k,min_k_plus_plus");
  const TraceScores scores = score_traces(path, attacks, {});
  EXPECT_EQ(scores.lacking[0], "");
  EXPECT_EQ(scores.lacking[1], "t.jsonl:3: 'logprob' is missing");
  EXPECT_EQ(scores.lacking[2], "t.jsonl:2: 'mean' and 'var' is missing");
}

TEST(TraceScoresTest, AnAttackIsScoredWithItsOwnParameters) {
  TempFolder folder;
  const auto path = folder.write(
      "t.jsonl", kHeader + "{\"index\": 0, \"num_labels\": 4, \"logprob\": [-1, -2, -3, -9]}\n");
  const AttackTable attacks =
      select_attacks(default_attack_table(), "min_k,min_k:k=0.7,min_k:k=1", {{"k", 0.1}});
  const TraceScores scores = score_traces(path, attacks, {});
  EXPECT_EQ(scores.columns, (std::vector<std::vector<std::optional<double>>>{{3}, {2.5}, {2}}));
}

TEST(TraceScoresTest, ComparesWithAReferenceModel) {
  TempFolder folder;
  const auto path =
      folder.write("t.jsonl", kHeader +
                                  "{\"index\": 0, \"num_labels\": 2, \"logprob\": [-1, -3]}\n"
                                  "{\"index\": 1, \"num_labels\": 0}\n");
  const auto reference = folder.write("r.jsonl",
                                      "{\"palimpsest_trace\": 1, \"model\": \"r\"}\n"
                                      "{\"index\": 5, \"num_labels\": 9}\n"
                                      "{\"index\": 1, \"num_labels\": 0}\n"
                                      "{\"index\": 0, \"num_labels\": 2, \"logprob\": [-2, -6]}\n");
  const AttackTable attacks =
      select_attacks(default_attack_table(), "loss,reference,ratio,wbc,ez_mia");
  const TraceScores scores = score_traces(path, attacks, {.reference = reference});
  using Column = std::vector<std::optional<double>>;
  EXPECT_EQ(scores.columns[0], (Column{2, std::nullopt}));
  EXPECT_EQ(scores.columns[1], (Column{-2, std::nullopt}));
  EXPECT_EQ(scores.columns[2], (Column{0.5, std::nullopt}));
  EXPECT_EQ(scores.columns[3], (Column{0, std::nullopt}));
  EXPECT_EQ(scores.lacking[4], "t.jsonl:2: 'argmax' and 'label' is missing");
  EXPECT_EQ(scores.reference_model, "r");
  EXPECT_TRUE(scores.notes.empty());
}

TEST(TraceScoresTest, SaysWhatTheReferenceTracesLack) {
  TempFolder folder;
  const std::string line = "{\"index\": 0, \"num_labels\": 1, \"avg_loss\": 1";
  const auto path = folder.write("t.jsonl", kHeader + line + ", \"logprob\": [-1]}\n");
  const auto reference = folder.write("r.jsonl", kHeader + line + "}\n");
  const AttackTable attacks = select_attacks(default_attack_table(), "reference,wbc");
  const TraceScores scores = score_traces(path, attacks, {.reference = reference});
  EXPECT_EQ(scores.lacking[0], "");
  EXPECT_EQ(scores.lacking[1], "r.jsonl:2: 'logprob' is missing");
  // The same model twice is a doubtful reference.
  ASSERT_EQ(scores.notes.size(), 1U);
  expect_contains(scores.notes[0], "come from the audited model itself, 'm'");
}

TEST(TraceScoresTest, WithoutAReferenceTheOtherAttacksAreScored) {
  TempFolder folder;
  const auto path =
      folder.write("t.jsonl", kHeader + "{\"index\": 0, \"num_labels\": 1, \"avg_loss\": 1}\n");
  const AttackTable attacks = select_attacks(default_attack_table(), "reference,loss");
  const TraceScores scores = score_traces(path, attacks, {});
  EXPECT_EQ(scores.lacking[0], "there are no traces of a reference model");
  EXPECT_EQ(scores.columns[1].size(), 1U);
}

TEST(TraceScoresTest, TheFirstWrongLineIsReportedWhateverTheThreads) {
  TempFolder folder;
  std::string body = kHeader;
  for (int i = 0; i < 500; ++i) {
    body += "{\"index\": " + std::to_string(i) + ", \"num_labels\": 1, \"logprob\": [" +
            (i % 100 == 50 ? "1" : "-1") + "]}\n";
  }
  const auto path = folder.write("t.jsonl", body);
  for (int threads : {1, 2, 5}) {
    expect_contains(
        error_of([&] { score_traces(path, default_attack_table(), {.threads = threads}); }),
        "t.jsonl:52: 'logprob' holds 1");
  }
}

std::shared_ptr<trace::TraceSet> many_traces(int64_t count) {
  auto set = std::make_shared<trace::TraceSet>();
  for (int64_t i = 0; i < count; ++i) {
    set->traces.push_back({.index = std::to_string(i), .num_labels = 1});
    set->traces.back().logprob = {-1 - static_cast<double>(i % 9)};
  }
  return set;
}

// A row that says nothing is called from the calling thread alone; one for any thread from all of
// them.
TEST(TraceScoresTest, OnlyAttacksForAnyThreadAreCalledFromSeveral) {
  std::mutex mutex;
  for (const bool any_thread : {false, true}) {
    std::set<std::thread::id> threads;
    std::atomic<int64_t> calls = 0;
    AttackTable attacks = select_attacks(default_attack_table(), "loss");
    attacks.push_back(
        {.name = "own",
         .score = [&](const trace::Trace&, const ParameterValues&) -> std::optional<double> {
           {
             const std::lock_guard lock(mutex);
             threads.insert(std::this_thread::get_id());
           }
           // The first waits for another thread's turn, if there is to be one.
           const bool is_first = calls.fetch_add(1) == 0;
           if (is_first && any_thread) wait_until([&] { return calls > 1; });
           return 1;
         },
         .any_thread = any_thread});
    const TraceScores scores = score_traces(many_traces(500), attacks, {.threads = 3});
    EXPECT_EQ(scores.columns[1].size(), 500U);
    EXPECT_EQ(scores.columns[0].size(), 500U);
    EXPECT_EQ(threads.size() == 1, !any_thread);
    EXPECT_EQ(threads.contains(std::this_thread::get_id()) || any_thread, true);
  }
}

TEST(TraceScoresTest, AStopTokenEndsIt) {
  std::stop_source source;
  AttackTable attacks = select_attacks(default_attack_table(), "loss");
  int64_t calls = 0;
  attacks.push_back(
      {.name = "own",
       .score = [&](const trace::Trace&, const ParameterValues&) -> std::optional<double> {
         source.request_stop();
         return ++calls;
       }});
  EXPECT_THROW(score_traces(many_traces(5000), attacks, {.stop = source.get_token()}), Stopped);
  EXPECT_GT(calls, 0);
  EXPECT_LT(calls, 5000);
}

TEST(TraceScoresTest, RefusesAScoreThatIsNotFinite) {
  TempFolder folder;
  const auto path =
      folder.write("t.jsonl", kHeader + "{\"index\": 0, \"num_labels\": 1, \"avg_loss\": 1e308}\n");
  AttackTable attacks = select_attacks(default_attack_table(), "loss");
  attacks[0].score = [](const trace::Trace& trace, const ParameterValues&) {
    return std::optional(10 * *trace::avg_loss(trace));
  };
  expect_contains(error_of([&] { score_traces(path, attacks, {}); }),
                  "t.jsonl:2: the loss score is NaN or infinite");
}

TEST(TraceScoresTest, RefusesATableThatNoReportCouldHold) {
  TempFolder folder;
  const auto path = folder.write("t.jsonl", kHeader);
  Attack attack = default_attack_table().front();
  attack.name = "audit";
  expect_contains(error_of([&] { score_traces(path, {attack}, {}); }), "'audit'");
}

TEST(TraceScoresTest, RefusesAFileWithoutExamples) {
  TempFolder folder;
  const auto path = folder.write("t.jsonl", kHeader);
  expect_contains(error_of([&] { score_traces(path, default_attack_table(), {}); }), "no examples");
}

}  // namespace
}  // namespace palimpsest::attack
