#include <gtest/gtest.h>

#include "tests/attack/score_of.h"

namespace palimpsest::attack {
namespace {

trace::Trace of_loss(double loss) {
  return {.index = "0", .num_labels = 2, .given_avg_loss = loss};
}

TEST(RatioScoreTest, DividesTheAverageLosses) {
  EXPECT_EQ(score_of("ratio", of_loss(1.5), of_loss(3)), 0.5);  // a member
  EXPECT_EQ(score_of("ratio", of_loss(3), of_loss(1.5)), 2);
  EXPECT_EQ(score_of("ratio", of_loss(0), of_loss(3)), 0);
  EXPECT_EQ(score_of("ratio", of_loss(2), of_loss(2)), 1);
}

TEST(RatioScoreTest, IsUndefinedWhereTheReferenceIsCertain) {
  EXPECT_EQ(score_of("ratio", of_loss(1), of_loss(0)), std::nullopt);
  EXPECT_EQ(score_of("ratio", of_loss(1), of_loss(-1e-6)), std::nullopt);  // rounding of log p
  EXPECT_EQ(score_of("ratio", of_loss(1), of_loss(1e-320)), std::nullopt);
  EXPECT_EQ(score_of("ratio", of_loss(0), of_loss(0)), std::nullopt);
}

TEST(RatioScoreTest, IsUndefinedWithoutLabels) {
  const trace::Trace empty{.index = "0", .num_labels = 0};
  EXPECT_EQ(score_of("ratio", empty, empty), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::attack
