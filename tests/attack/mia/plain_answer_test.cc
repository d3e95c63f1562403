#include "palimpsest/attack/internal/mia/plain_answer.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::attack {
namespace {

Answer judged(AnswerVerdict verdict) {
  return {.verdict = verdict,
          .sentence = "s",
          .would_detect = 0.66,
          .picked_out = PickedOut{.attack = "loss",
                                  .tpr = 0.62,
                                  .fpr = 0.3,
                                  .excess = 0.32,
                                  .interval = stat::Interval{0.134, 0.468},
                                  .forget = 60,
                                  .holdout = 70}};
}

TEST(PlainAnswerTest, RememberedSaysHowManyCouldBePickedOut) {
  const PlainAnswer plain = plain_answer(judged(AnswerVerdict::kRemembered));
  EXPECT_EQ(plain.headline,
            "Remembered. Of 100 records to be forgotten, an observer could pick out about 32 more "
            "than chance.");
  expect_contains(plain.certainty,
                  "The 95% interval of this number is 13 to 47, measured on 60 forget and 70 "
                  "holdout records.");
  expect_contains(plain.certainty, "chose the attack (loss) and its threshold on other records");
  expect_contains(plain.certainty, "wrong in at most 5 of 100 audits");
}

TEST(PlainAnswerTest, AgainstABaselineChanceIsNotTheMeasure) {
  Answer answer = judged(AnswerVerdict::kRemembered);
  answer.against_baseline = true;
  answer.would_detect = 0.14;
  const PlainAnswer plain = plain_answer(answer);
  EXPECT_EQ(plain.headline,
            "Remembered. Of 100 records to be forgotten, an observer could pick out about 32 more "
            "than from a model that never saw them.");
  expect_contains(plain.detects, "a difference of AUCs of 0.140 or more");
}

TEST(PlainAnswerTest, ANumberThatRoundsToNothingIsNotGiven) {
  Answer answer = judged(AnswerVerdict::kRemembered);
  answer.picked_out->excess = -0.02;
  EXPECT_EQ(plain_answer(answer).headline,
            "Remembered. Some of the records to be forgotten are still recognised.");
  answer.picked_out.reset();
  EXPECT_EQ(plain_answer(answer).headline,
            "Remembered. Some of the records to be forgotten are still recognised.");
  answer.reasons = {{"auc", "…"}};
  EXPECT_EQ(plain_answer(answer).headline,
            "Remembered. The records to be forgotten can still be told from text that the model "
            "never saw.");
}

TEST(PlainAnswerTest, EveryVerdictHasItsWords) {
  using enum AnswerVerdict;
  EXPECT_EQ(plain_answer(judged(kOverForgotten)).headline,
            "Over-forgotten. Of 100 records to be forgotten, an observer could pick out about 32 "
            "more than chance.");
  expect_contains(plain_answer(judged(kOverForgotten)).certainty,
                  "The model knows these records less than text that it never saw");
  EXPECT_EQ(plain_answer(judged(kDetectableWithinMargin)).headline,
            "A trace is left. It is smaller than the margin of 0.05 that was asked for.");
  EXPECT_EQ(plain_answer(judged(kEquivalent)).headline,
            "No memory was found beyond the margin of 0.05 that was asked for.");
  expect_contains(plain_answer(judged(kEquivalent)).certainty,
                  "no proof that nothing is remembered");
  EXPECT_EQ(plain_answer(judged(kNotDecided)).headline,
            "Not decided. These records cannot answer the question.");
  EXPECT_EQ(plain_answer(judged(kVoid)).headline, "Void. This audit cannot answer the question.");
  EXPECT_EQ(plain_answer(judged(kVoid)).detects, "");
  EXPECT_EQ(plain_answer(judged(kVoid)).misses, "");
}

// Files of earlier versions have another opening.
TEST(PlainAnswerTest, ThatAnAuditIsVoidIsSaidOnce) {
  for (const char* opening :
       {"Void: this audit cannot answer. ", "Void, this audit cannot answer. "}) {
    Answer answer = judged(AnswerVerdict::kVoid);
    answer.sentence = std::string(opening) + "The texts alone tell the sets apart.";
    const std::string text = answer_to_text(answer, 200);
    EXPECT_EQ(text.find("this audit cannot answer."), std::string::npos) << text;
    expect_contains(text, "The texts alone tell the sets apart.");
  }
}

TEST(PlainAnswerTest, TheTextOpensWithPlainWordsAndSaysNothingTwice) {
  Answer answer = judged(AnswerVerdict::kRemembered);
  answer.sentence = "The forget set is still remembered: AUC 0.700.";
  answer.reasons = {{"auc", "AUC 0.700"}, {"tail", "The tail speaks."}};
  EXPECT_EQ(answer_to_text(answer, 200),
            "REMEMBERED. Of 100 records to be forgotten, an observer could pick out about 32 more "
            "than chance.\n"
            "- The forget set is still remembered: AUC 0.700.\n"
            "- The tail speaks.\n");
  answer.verdict = AnswerVerdict::kNotDecided;
  answer.sentence = "Not decided. There are too few records.";
  answer.reasons = {{"too_few", "There are too few records."}};
  EXPECT_EQ(answer_to_text(answer, 200),
            "NOT DECIDED. These records cannot answer the question.\n"
            "- There are too few records.\n");
}

TEST(PlainAnswerTest, ANegativeEndHasAMinus) {
  Answer answer = judged(AnswerVerdict::kRemembered);
  answer.picked_out->interval = stat::Interval{-0.043, 0.2};
  expect_contains(plain_answer(answer).certainty, "is −4 to 20");
  expect_contains(plain_answer(answer).certainty, "The verdict rests on all records");
  answer.picked_out->interval.reset();
  expect_contains(plain_answer(answer).certainty, "has no interval");
}

TEST(PlainAnswerTest, WhatWouldHaveBeenDetectedIsSaidInRecordsToo) {
  // d = √2·Φ⁻¹(0.66) = 0.583; at the best threshold 2Φ(d/2) - 1 = 0.2294.
  EXPECT_NEAR(excess_at_auc(0.66), 0.2294, 1e-4);
  EXPECT_EQ(excess_at_auc(0.5), 0);
  const PlainAnswer plain = plain_answer(judged(AnswerVerdict::kEquivalent));
  expect_contains(plain.detects, "about 23 of 100 records more than chance");
  expect_contains(plain.detects, "an AUC of 0.660 or more");
  expect_contains(plain.misses, "Weaker memory than that");
  Answer small = judged(AnswerVerdict::kNotDecided);
  small.would_detect.reset();
  small.reasons = {{"tail_not_tested", "…"}};
  EXPECT_EQ(plain_answer(small).detects, "");
  expect_contains(plain_answer(small).misses, "A few plainly remembered records");
}

}  // namespace
}  // namespace palimpsest::attack
