#include <gtest/gtest.h>

#include "tests/attack/score_of.h"

namespace palimpsest::attack {
namespace {

// Five tokens and the last, which does not count. The three lowest are -5, -4 and -3.
const trace::Trace kSurpTrace{.index = "0",
                              .num_labels = 6,
                              .logprob = {{-1, -5, -2, -4, -3, -100}},
                              .mean = {{-0.5, -1, -0.5, -3, -1.5, -0.1}}};

TEST(SurpScoreTest, IsTheLossOfUnlikelyTokensWhereTheModelWasSure) {
  // Entropies 1, 3 and 1.5 at -5, -4 and -3: the middle one is not below 2.
  EXPECT_DOUBLE_EQ(*score_of("surp:k=0.6:entropy=2", kSurpTrace), 4);
  // ⌊0.4 * 5⌋ = 2 lowest, of which only -5 is below 2.
  EXPECT_DOUBLE_EQ(*score_of("surp:k=0.4:entropy=2", kSurpTrace), 5);
  EXPECT_DOUBLE_EQ(*score_of("surp:k=1:entropy=2", kSurpTrace), (1 + 5 + 2 + 3) / 4.0);
  EXPECT_DOUBLE_EQ(*score_of("surp:k=0.6:entropy=3.1", kSurpTrace), 4);
  // The bound itself does not count as below.
  EXPECT_DOUBLE_EQ(*score_of("surp:k=0.6:entropy=1.5", kSurpTrace), 5);
}

TEST(SurpScoreTest, WithoutSuchATokenTheEntropyIsDisregarded) {
  EXPECT_DOUBLE_EQ(*score_of("surp:k=0.4:entropy=0.2", kSurpTrace), 4.5);
  EXPECT_DOUBLE_EQ(*score_of("surp:k=0.01:entropy=0.2", kSurpTrace), 5);
}

TEST(SurpScoreTest, DoesNotDependOnTheOrderOfEqualTokens) {
  const trace::Trace a{
      .index = "0", .num_labels = 3, .logprob = {{-2, -2, -1}}, .mean = {{-1, -3, -1}}};
  const trace::Trace b{
      .index = "0", .num_labels = 3, .logprob = {{-2, -2, -1}}, .mean = {{-3, -1, -1}}};
  EXPECT_EQ(score_of("surp:k=0.5:entropy=2", a), 2);
  EXPECT_EQ(score_of("surp:k=0.5:entropy=2", a), score_of("surp:k=0.5:entropy=2", b));
}

TEST(SurpScoreTest, IsUndefinedWithoutATokenBeforeTheLast) {
  EXPECT_EQ(score_of("surp:k=0.4:entropy=2", {.index = "0", .num_labels = 0}), std::nullopt);
  EXPECT_EQ(score_of("surp:k=0.4:entropy=2", {.num_labels = 1, .logprob = {{-3}}, .mean = {{-1}}}),
            std::nullopt);
}

}  // namespace
}  // namespace palimpsest::attack
