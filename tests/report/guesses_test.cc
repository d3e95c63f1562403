#include "palimpsest/report/internal/guesses.h"

#include <gtest/gtest.h>

#include "palimpsest/eval/internal/read_results.h"

namespace palimpsest::report {
namespace {

TEST(GuessesTest, TheMeanTellsWhichFieldWasAveraged) {
  const eval::MetricResult log = eval::result_from_json(
      parse_json(R"({"value_by_index": {"0": {"avg_loss": 1, "prob": 0.2, "score": 3},
                                        "1": {"avg_loss": 2, "prob": 0.4, "score": 0.5}}})",
                 ""),
      "");
  EXPECT_EQ(guess_averaged_values(log, 0.3), (ValueByExample{{"0", 0.2}, {"1", 0.4}}));
  EXPECT_EQ(guess_averaged_values(log, 1.5), (ValueByExample{{"0", 1}, {"1", 2}}));
  EXPECT_EQ(guess_averaged_values(log, 0.25), (ValueByExample{{"0", 0}, {"1", 0.5}}));
  EXPECT_TRUE(guess_averaged_values(log, 7).empty());
  EXPECT_TRUE(guess_averaged_values({}, 0).empty());
}

TEST(GuessesTest, MetricsAreNamedAfterTheirData) {
  EXPECT_EQ(guess_data_set("forget_Q_A_ROUGE"), "forget");
  EXPECT_EQ(guess_data_set("exact_memorization"), "forget");
  EXPECT_EQ(guess_data_set("retain_Q_A_Prob"), "retain");
  EXPECT_EQ(guess_data_set("wf_Truth_Ratio"), "wf");
}

TEST(GuessesTest, TheQuestionsAboutRealAuthorsAndTheWorldAreIndependent) {
  EXPECT_TRUE(guess_is_independent("ra_Q_A_Prob_normalised"));
  EXPECT_TRUE(guess_is_independent("wf_Truth_Ratio"));
  EXPECT_FALSE(guess_is_independent("retain_Q_A_Prob"));
}

TEST(GuessesTest, AnAttackIsNamedByItsMetric) {
  EXPECT_EQ(guess_attack("mia_min_k"), "min_k");
  EXPECT_EQ(guess_attack("mia_min_k:k=0.3"), "min_k");
  EXPECT_EQ(guess_attack("forget_Q_A_Prob"), "");
}

TEST(GuessesTest, AGenerationIsAboutTheExampleWithItsTrueAnswer) {
  const GeneratedExample generated{.generation = "a", .truth = " In Rome.\n"};
  EXPECT_TRUE(guess_is_about("any", generated, "forget", "In Rome."));
  EXPECT_FALSE(guess_is_about("forget_Q_A_ROUGE", generated, "forget", "In Oslo."));
  // Without a trace only the names tell.
  EXPECT_TRUE(guess_is_about("forget_Q_A_ROUGE", generated, "forget", std::nullopt));
  EXPECT_FALSE(guess_is_about("forget_Q_A_ROUGE", generated, "holdout", std::nullopt));
}

}  // namespace
}  // namespace palimpsest::report
