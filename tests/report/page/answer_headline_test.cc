#include "palimpsest/report/internal/page/answer_headline.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

TEST(AnswerHeadlineTest, SaysTheAnswerAndItsReasons) {
  const attack::Answer answer{
      .verdict = attack::AnswerVerdict::kRemembered,
      .sentence = "Remembered: an AUC of 0.9 tells it.",
      .reasons = {{"auc", "an AUC of 0.9"}, {"tail", "a few records stand out"}}};
  const PageHeadline headline = answer_headline("m", answer);
  EXPECT_EQ(headline.question, "Does m still remember what it was asked to forget?");
  EXPECT_EQ(headline.answer,
            "Remembered. The records to be forgotten can still be told from text that the model "
            "never saw.");
  EXPECT_EQ(headline.statistics, answer.sentence);
  // What the sentence says is not said twice.
  EXPECT_EQ(headline.reasons, std::vector<std::string>{"A few records stand out."});
  EXPECT_EQ(answer_headline("", answer).question,
            "Does the model still remember what it was asked to forget?");
}

TEST(AnswerHeadlineTest, TonesFollowTheVerdict) {
  using enum attack::AnswerVerdict;
  for (attack::AnswerVerdict verdict : {kRemembered, kOverForgotten, kVoid})
    EXPECT_EQ(answer_headline("m", {.verdict = verdict}).tone, PageTone::kBad);
  for (attack::AnswerVerdict verdict : {kNotDecided, kDetectableWithinMargin})
    EXPECT_EQ(answer_headline("m", {.verdict = verdict}).tone, PageTone::kCaution);
  EXPECT_EQ(answer_headline("m", {.verdict = kEquivalent}).tone, PageTone::kGood);
}

TEST(AnswerHeadlineTest, OnlyFiguresThatAreDefinedAreShown) {
  const auto text_of = [](const attack::Answer& answer, const std::string& title) -> std::string {
    for (const PageEntry& figure : answer_figures(answer)) {
      if (figure.title.starts_with(title)) return figure.text;
    }
    return "";
  };
  attack::Answer answer{
      .verdict = attack::AnswerVerdict::kRemembered,
      .smallest_margin = 0.083,
      .clusters = {.key = "author", .forget = 20, .holdout = 30, .design_effect = 2.61},
      .would_detect = 0.66};
  EXPECT_EQ(text_of(answer, "smallest margin supported (asked: 0.05)"), "0.083");
  EXPECT_EQ(text_of(answer, "clusters (author)"), "20 + 30");
  EXPECT_EQ(text_of(answer, "design effect"), "2.61");
  EXPECT_EQ(text_of(answer, "AUC detected with probability 80%"), "0.660");
  answer.smallest_margin.reset();
  EXPECT_EQ(text_of(answer, "smallest margin"), "");
  EXPECT_EQ(text_of(answer, "of 100 picked out"), "");
  answer.picked_out = attack::PickedOut{.excess = 0.294, .interval = stat::Interval{-0.021, 0.45}};
  EXPECT_EQ(text_of(answer, "of 100 picked out beyond chance"), "29 (−2\u00A0…\u00A045)");
  answer.against_baseline = true;
  answer.picked_out->excess = -0.001;
  answer.picked_out->interval.reset();
  EXPECT_EQ(text_of(answer, "of 100 picked out beyond the baseline"), "0");
  answer.verdict = attack::AnswerVerdict::kVoid;
  EXPECT_EQ(text_of(answer, "of 100"), "");
  EXPECT_EQ(text_of(answer, "difference detected"), "");
  EXPECT_EQ(text_of(answer, "clusters (author)"), "20 + 30");
}

TEST(AnswerHeadlineTest, WithoutAnAnswerNothingIsJudged) {
  const PageHeadline headline = neutral_headline(
      "m", {.attack = "loss", .auc = 0.9, .interval = stat::Interval{0.85, 0.93}, .attacks = 3});
  EXPECT_EQ(headline.answer, "No answer was drawn.");
  EXPECT_EQ(headline.statistics,
            "AUC 0.900 (95% interval 0.850\u00A0…\u00A00.930) by loss, the "
            "highest of 3 attacks, picked after the fact.");
  EXPECT_EQ(headline.tone, PageTone::kNeutral);
  EXPECT_EQ(headline.value, 0.9);
  EXPECT_EQ(neutral_headline("m", {.attack = "loss", .auc = 0.5}).statistics, "AUC 0.500 by loss.");
  expect_contains(unknown_headline("m").answer, "Not known");
}

}  // namespace
}  // namespace palimpsest::report
