#include <gtest/gtest.h>

#include "tests/attack/score_of.h"

namespace palimpsest::attack {
namespace {

TEST(GradnormScoreTest, ReadsTheNormThatIsAskedFor) {
  const trace::Trace trace{
      .index = "0", .num_labels = 3, .grad_norm = {{"1", 30}, {"2", 4}, {"inf", 0.5}}};
  EXPECT_EQ(score_of("gradnorm:p=1", trace), 30);
  EXPECT_EQ(score_of("gradnorm:p=2", trace), 4);
  EXPECT_EQ(score_of("gradnorm:p=inf", trace), 0.5);
}

TEST(GradnormScoreTest, IsUndefinedWithoutATokenBeforeTheLast) {
  const trace::Trace one{.index = "0", .num_labels = 1, .grad_norm = {{"2", 4}}};
  EXPECT_EQ(score_of("gradnorm:p=2", one), std::nullopt);
  // Two labels, of which the first stands at position 0 and is predicted by nothing.
  const trace::Trace start{
      .index = "0", .num_labels = 2, .logprob = {{-1}}, .grad_norm = {{"2", 4}}};
  EXPECT_EQ(score_of("gradnorm:p=2", start), std::nullopt);
  EXPECT_TRUE(needs_grad_norm().is_met(start, {{"p", 2}}));
}

TEST(GradnormScoreTest, NeedsTheNormOfItsP) {
  const TraceNeed need = select_attacks(default_attack_table(), "gradnorm").at(0).needs.at(0);
  const trace::Trace trace{.index = "0", .num_labels = 3, .grad_norm = {{"2", 4}}};
  EXPECT_TRUE(need.is_met(trace, {{"p", 2}}));
  EXPECT_FALSE(need.is_met(trace, {{"p", 1}}));
  EXPECT_EQ(score_of("gradnorm:p=1", trace), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::attack
