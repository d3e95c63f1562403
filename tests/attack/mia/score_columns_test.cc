#include "palimpsest/attack/mia/score_columns.h"

#include <gtest/gtest.h>

#include <cmath>

namespace palimpsest::attack {
namespace {

TEST(ScoreColumnsTest, FlippingTwiceChangesNothingAndZeroHasNoSign) {
  EXPECT_EQ(flip_orientation(flip_orientation(1.5)), 1.5);
  EXPECT_FALSE(std::signbit(flip_orientation(0)));
  EXPECT_FALSE(std::signbit(flip_orientation(-0.0)));
  EXPECT_EQ(flipped(ScoreColumn{1, std::nullopt, -2}), (ScoreColumn{-1, std::nullopt, 2}));
}

TEST(ScoreColumnsTest, MembersArePositivesWithFlippedScores) {
  const ScoreColumn forget = {1, std::nullopt, 3};
  const ScoreColumn holdout = {std::nullopt, -2};
  const stat::LabelledScores scores = to_labelled({forget, holdout});
  EXPECT_EQ(scores.positives, (std::vector<double>{-1, -3}));
  EXPECT_EQ(scores.negatives, std::vector<double>{2});
}

}  // namespace
}  // namespace palimpsest::attack
