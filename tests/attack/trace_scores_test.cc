#include "palimpsest/attack/trace_scores.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest {
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
  EXPECT_EQ(scores.text_hashes.size(), 1U);
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
  EXPECT_EQ(scores.lacking[1], path.string() + ":3: 'logprob' is missing");
  EXPECT_EQ(scores.lacking[2], path.string() + ":2: 'mean' and 'var' is missing");
}

TEST(TraceScoresTest, RefusesAFileWithoutExamples) {
  TempFolder folder;
  const auto path = folder.write("t.jsonl", kHeader);
  expect_contains(error_of([&] { score_traces(path, default_attack_table(), {}); }), "no examples");
}

}  // namespace
}  // namespace palimpsest
