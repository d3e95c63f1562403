#include <gtest/gtest.h>

#include "tests/attack/score_of.h"

namespace palimpsest::attack {
namespace {

// The model errs at the second, third and fourth token; the last one does not count.
trace::Trace target(std::vector<double> logprob) {
  return {.index = "0",
          .num_labels = 5,
          .logprob = std::move(logprob),
          .argmax = {{1, 9, 9, 9, 9}},
          .label = {{1, 2, 3, 4, 5}}};
}

trace::Trace reference(std::vector<double> logprob) {
  return {.index = "0", .num_labels = 5, .logprob = std::move(logprob)};
}

TEST(EzMiaScoreTest, IsTheShareOfTheShiftThatIsDownwards) {
  // Shifts of the errors: +3, -1, +0.5; the first and the last token do not count.
  const trace::Trace trace = target({-50, -1, -3, -2, -50});
  EXPECT_DOUBLE_EQ(*score_of("ez_mia", trace, reference({-1, -4, -2, -2.5, -1})), 1 / 4.5);
}

TEST(EzMiaScoreTest, OnlyUpwardsIsTheMostMemberLike) {
  const trace::Trace up = target({-1, -1, -1, -1, -1});
  EXPECT_EQ(score_of("ez_mia", up, reference({-1, -2, -1, -9, -1})), 0);
  EXPECT_EQ(score_of("ez_mia", up, reference({-1, -0.5, -1, -1, -1})), 1);
}

TEST(EzMiaScoreTest, AModelWithoutErrorsKnowsTheText) {
  trace::Trace sure = target({-1, -1, -1, -1, -1});
  sure.argmax = {{1, 2, 3, 4, 9}};
  EXPECT_EQ(score_of("ez_mia", sure, reference({-9, -9, -0.1, -0.1, -1})), 0);
}

TEST(EzMiaScoreTest, NoShiftIsNoEvidence) {
  const trace::Trace trace = target({-1, -2, -3, -4, -5});
  EXPECT_EQ(score_of("ez_mia", trace, reference({-1, -2, -3, -4, -5})), 0.5);
}

TEST(EzMiaScoreTest, IsUndefinedWithoutATokenBeforeTheLast) {
  const trace::Trace one{
      .index = "0", .num_labels = 1, .logprob = {{-1}}, .argmax = {{1}}, .label = {{1}}};
  EXPECT_EQ(score_of("ez_mia", one, one), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::attack
