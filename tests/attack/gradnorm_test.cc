#include "palimpsest/attack/internal/attacks.h"

#include <gtest/gtest.h>

#include <limits>

namespace palimpsest::attack {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(GradnormScoreTest, ReadsTheNormThatIsAskedFor) {
  const trace::Trace trace{
      .index = "0", .num_labels = 3, .grad_norm = {{"1", 30}, {"2", 4}, {"inf", 0.5}}};
  EXPECT_EQ(gradnorm_score(trace, 1), 30);
  EXPECT_EQ(gradnorm_score(trace, 2), 4);
  EXPECT_EQ(gradnorm_score(trace, kInfinity), 0.5);
}

TEST(GradnormScoreTest, IsUndefinedWithoutATokenBeforeTheLast) {
  const trace::Trace one{.index = "0", .num_labels = 1, .grad_norm = {{"2", 4}}};
  EXPECT_EQ(gradnorm_score(one, 2), std::nullopt);
  // Two labels, of which the first stands at position 0 and is predicted by nothing.
  const trace::Trace start{
      .index = "0", .num_labels = 2, .logprob = {{-1}}, .grad_norm = {{"2", 4}}};
  EXPECT_EQ(gradnorm_score(start, 2), std::nullopt);
  EXPECT_TRUE(needs_grad_norm().is_met(start, {{"p", 2}}));
}

TEST(GradnormScoreTest, NeedsTheNormOfItsP) {
  const trace::Trace trace{.index = "0", .num_labels = 3, .grad_norm = {{"2", 4}}};
  EXPECT_TRUE(needs_grad_norm().is_met(trace, {{"p", 2}}));
  EXPECT_FALSE(needs_grad_norm().is_met(trace, {{"p", 1}}));
  EXPECT_EQ(gradnorm_score(trace, 1), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::attack
