#include "palimpsest/attack/internal/mia/leading_attack.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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
  using Attacks = std::vector<NamedAuc>;
  EXPECT_EQ(leading_attack(Attacks{{"loss", 0.1}, {"min_k", 0.6}}, "loss"), 0U);
  EXPECT_EQ(leading_attack(Attacks{{"loss", 0.1}, {"min_k", 0.6}}, "mia_loss"), 1U);
  EXPECT_EQ(leading_attack(Attacks{{"", 0.1}, {"min_k", 0.6}}, ""), 1U);
  EXPECT_EQ(leading_attack(Attacks{{"loss", {}}, {"min_k", 0.6}, {"zlib", 0.5}}, "loss"), 1U);
  EXPECT_EQ(leading_attack(Attacks{{"loss", {}}, {"min_k", {}}}, "loss"), std::nullopt);
}

TEST(LeadingAttackTest, TheFarthestFromGuessingMayBeLow) {
  const std::vector<std::optional<double>> aucs = {0.5, 0.1, std::nullopt, 0.75, 0.25};
  EXPECT_EQ(farthest_from_guessing(aucs), (std::vector<size_t>{1, 3, 4, 0}));
}

}  // namespace
}  // namespace palimpsest::attack
