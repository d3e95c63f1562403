// Each attack's formula on numbers small enough to check by hand.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/attack/score_of.h"

namespace palimpsest::attack {
namespace {

const trace::Trace kTrace{.index = "0",
                          .text = "abc",
                          .num_labels = 6,
                          .logprob = {{-1, -5, -2, -4, -3, -100}},  // the last one predicts the end
                          .mean = {{-2, -2, -2, -2, -2, -2}},
                          .var = {{1, 4, 0.25, 4, 0, 1}}};
const trace::Trace kNoLabels{.index = "1", .text = "", .num_labels = 0};

TEST(LossScoreTest, IsTheAverageLoss) {
  EXPECT_DOUBLE_EQ(*score_of("loss", kTrace), 115.0 / 6);
  EXPECT_EQ(score_of("loss", kNoLabels), std::nullopt);
}

TEST(MinKScoreTest, IsTheMeanOfTheLowestWithoutTheLast) {
  EXPECT_DOUBLE_EQ(*score_of("min_k:k=0.2", kTrace), 5);    // ⌊0.2 * 5⌋ = 1
  EXPECT_DOUBLE_EQ(*score_of("min_k:k=0.4", kTrace), 4.5);  // 5 and 4
  EXPECT_DOUBLE_EQ(*score_of("min_k:k=1", kTrace), 3);
  EXPECT_DOUBLE_EQ(*score_of("min_k:k=0.01", kTrace), 5);  // at least one token
}

TEST(MinKScoreTest, IsZeroWithoutTokens) {
  EXPECT_EQ(score_of("min_k:k=0.2", kNoLabels), 0);
  const trace::Trace only_end{.index = "0", .num_labels = 1, .logprob = {{-3}}};
  EXPECT_EQ(score_of("min_k:k=0.2", only_end), 0);
  EXPECT_FALSE(std::signbit(*score_of("min_k:k=0.2", only_end)));
}

TEST(MinKPlusPlusScoreTest, StandardisesByTheModelsOwnDistribution) {
  // z = {1, -1.5, 0, -1, -1/sqrt(1e-6) = -1000}
  EXPECT_NEAR(*score_of("min_k_plus_plus:k=0.2", kTrace), 1000, 1e-9);
  EXPECT_NEAR(*score_of("min_k_plus_plus:k=0.4", kTrace), (1000 + 1.5) / 2, 1e-9);
  EXPECT_EQ(score_of("min_k_plus_plus:k=0.2", kNoLabels), 0);
}

TEST(ZlibScoreTest, DividesByTheCompressedSize) {
  EXPECT_DOUBLE_EQ(*score_of("zlib", kTrace), 115.0 / 6 / 11);
  EXPECT_EQ(score_of("zlib", kNoLabels), std::nullopt);
}

// One labelled token is the last one, so token-wise scores have nothing to look at; of two equal ones
// one counts.
TEST(ScoresTest, OfOneAndOfTwoTokens) {
  const trace::Trace one{
      .index = "0", .text = "a", .num_labels = 1, .logprob = {{-2}}, .mean = {{-1}}, .var = {{1}}};
  EXPECT_EQ(score_of("loss", one), 2);
  EXPECT_EQ(score_of("min_k:k=0.2", one), 0);
  EXPECT_EQ(score_of("min_k_plus_plus:k=0.2", one), 0);
  EXPECT_EQ(score_of("zlib", one), 2.0 / 9);
  trace::Trace two = one;
  two.num_labels = 2;
  two.logprob = {{-2, -2}};
  two.mean = {{-1, -1}};
  two.var = {{1, 1}};
  EXPECT_EQ(score_of("loss", two), 2);
  EXPECT_EQ(score_of("min_k:k=0.2", two), 2);
  EXPECT_EQ(score_of("min_k_plus_plus:k=0.2", two), 1);
  EXPECT_EQ(score_of("zlib", two), 2.0 / 9);
  EXPECT_EQ(score_of("surp:k=0.4:entropy=2", two), 2);
}

}  // namespace
}  // namespace palimpsest::attack
