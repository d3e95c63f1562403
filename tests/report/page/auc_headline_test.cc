#include "palimpsest/report/page/auc_headline.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/expect_error.h"

namespace palimpsest {
namespace {

PageHeadline about(double auc, double low, double high) {
  return auc_headline(
      {.model = "m", .attack = "loss", .auc = auc, .interval = Interval{low, high}});
}

TEST(AucHeadlineTest, EveryVerdictOpensDifferently) {
  std::set<std::string> openings;
  for (const PageHeadline& headline :
       {about(0.5, 0.45, 0.55), about(0.6, 0.4, 0.8), about(0.58, 0.51, 0.65),
        about(0.7, 0.65, 0.75), about(0.9, 0.85, 0.93), about(0.99, 0.97, 1),
        about(0.2, 0.1, 0.3)}) {
    openings.insert(headline.answer.substr(0, headline.answer.find(';')));
    EXPECT_FALSE(headline.action.empty());
  }
  EXPECT_EQ(openings.size(), 7U);
}

TEST(AucHeadlineTest, TonesFollowTheVerdict) {
  EXPECT_EQ(about(0.5, 0.45, 0.55).tone, PageTone::kGood);
  EXPECT_EQ(about(0.6, 0.4, 0.8).tone, PageTone::kCaution);
  EXPECT_EQ(about(0.2, 0.1, 0.3).tone, PageTone::kBad);
}

TEST(AucHeadlineTest, TheSentenceHasNumberIntervalAndAttack) {
  EXPECT_EQ(about(0.9, 0.85, 0.93).answer,
            "Yes: it is well told from unseen text; AUC 0.900 (95% interval "
            "0.850\u00A0…\u00A00.930) by loss, the strongest attack.");
}

TEST(AucHeadlineTest, WithoutAnIntervalNothingIsJudged) {
  const PageHeadline headline = auc_headline({.attack = "loss", .auc = 0.9, .is_strongest = false});
  EXPECT_EQ(headline.question, "Does the model still recognise the forget set?");
  EXPECT_EQ(headline.answer, "There is no interval to judge by; AUC 0.900 by loss.");
  EXPECT_EQ(headline.tone, PageTone::kCaution);
  EXPECT_TRUE(headline.action.empty());
  expect_contains(unknown_headline("m").answer, "Not known");
}

}  // namespace
}  // namespace palimpsest
