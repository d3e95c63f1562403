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
  EXPECT_EQ(headline.question, "Does m still remember the forget set?");
  EXPECT_EQ(headline.answer, answer.sentence);
  // What the sentence says is not said twice.
  EXPECT_EQ(headline.reasons, std::vector<std::string>{"A few records stand out."});
  EXPECT_EQ(answer_headline("", answer).question, "Does the model still remember the forget set?");
}

TEST(AnswerHeadlineTest, TonesFollowTheVerdict) {
  using enum attack::AnswerVerdict;
  for (attack::AnswerVerdict verdict : {kRemembered, kOverForgotten, kVoid})
    EXPECT_EQ(answer_headline("m", {.verdict = verdict}).tone, PageTone::kBad);
  for (attack::AnswerVerdict verdict : {kNotDecided, kDetectableWithinMargin})
    EXPECT_EQ(answer_headline("m", {.verdict = verdict}).tone, PageTone::kCaution);
  EXPECT_EQ(answer_headline("m", {.verdict = kEquivalent}).tone, PageTone::kGood);
}

TEST(AnswerHeadlineTest, TheSmallestMarginIsAlwaysAmongTheFigures) {
  const auto text_of = [](const attack::Answer& answer, const std::string& title) -> std::string {
    for (const PageEntry& figure : answer_figures(answer)) {
      if (figure.title.starts_with(title)) return figure.text;
    }
    return "";
  };
  attack::Answer answer{
      .smallest_margin = 0.083,
      .clusters = {.key = "author", .forget = 20, .holdout = 30, .design_effect = 2.61},
      .would_detect = 0.66};
  EXPECT_EQ(text_of(answer, "smallest margin supported (asked: 0.05)"), "0.083");
  EXPECT_EQ(text_of(answer, "clusters (author)"), "20 + 30");
  EXPECT_EQ(text_of(answer, "design effect"), "2.61");
  EXPECT_EQ(text_of(answer, "AUC detected with probability 80%"), "0.660");
  answer.smallest_margin.reset();
  EXPECT_EQ(text_of(answer, "smallest margin"), "none");
}

TEST(AnswerHeadlineTest, WithoutAnAnswerNothingIsJudged) {
  const PageHeadline headline = neutral_headline(
      "m", {.attack = "loss", .auc = 0.9, .interval = stat::Interval{0.85, 0.93}, .attacks = 3});
  EXPECT_EQ(headline.answer,
            "No answer was drawn. AUC 0.900 (95% interval 0.850\u00A0…\u00A00.930) by loss, the "
            "highest of 3 attacks, picked after the fact.");
  EXPECT_EQ(headline.tone, PageTone::kNeutral);
  EXPECT_EQ(headline.value, 0.9);
  EXPECT_EQ(neutral_headline("m", {.attack = "loss", .auc = 0.5}).answer,
            "No answer was drawn. AUC 0.500 by loss.");
  expect_contains(unknown_headline("m").answer, "Not known");
}

}  // namespace
}  // namespace palimpsest::report
