#include "palimpsest/attack/internal/mia/leading_attack.h"

#include <gtest/gtest.h>

namespace palimpsest::attack {
namespace {

using Aucs = std::vector<std::optional<double>>;

TEST(HighestAucTest, IsTheFirstOfTheLargest) {
  EXPECT_EQ(highest_auc(Aucs{0.4, 0.7, {}, 0.7}), 1U);
  EXPECT_EQ(highest_auc(Aucs{{}, 0.1}), 1U);
  EXPECT_EQ(highest_auc(Aucs{{}, {}}), std::nullopt);
  EXPECT_EQ(highest_auc(Aucs{}), std::nullopt);
}

// An over-forgotten set: the answer speaks of the lowest AUC.
TEST(LeadingAttackTest, IsTheOneThatTheAnswerNames) {
  EXPECT_EQ(leading_attack(Aucs{0.1, 0.6}, {true, false}), 0U);
  EXPECT_EQ(leading_attack(Aucs{0.1, 0.6}, {false, false}), 1U);
  EXPECT_EQ(leading_attack(Aucs{{}, 0.6, 0.5}, {true, false, false}), 1U);
  EXPECT_EQ(leading_attack(Aucs{{}, {}}, {true, true}), std::nullopt);
}

TEST(LeadingAttackTest, TheFarthestFromGuessingMayBeLow) {
  const std::vector<std::optional<double>> aucs = {0.5, 0.1, std::nullopt, 0.75, 0.25};
  EXPECT_EQ(farthest_from_guessing(aucs), (std::vector<size_t>{1, 3, 4, 0}));
}

}  // namespace
}  // namespace palimpsest::attack
