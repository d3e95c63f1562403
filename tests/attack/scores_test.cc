// Each attack's formula on numbers small enough to check by hand.

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/attack/internal/attacks.h"
#include "palimpsest/attack/internal/lowest_share.h"

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
  EXPECT_DOUBLE_EQ(*loss_score(kTrace), 115.0 / 6);
  EXPECT_EQ(loss_score(kNoLabels), std::nullopt);
}

TEST(MinKScoreTest, IsTheMeanOfTheLowestWithoutTheLast) {
  EXPECT_DOUBLE_EQ(*min_k_score(kTrace, 0.2), 5);    // ⌊0.2 * 5⌋ = 1
  EXPECT_DOUBLE_EQ(*min_k_score(kTrace, 0.4), 4.5);  // 5 and 4
  EXPECT_DOUBLE_EQ(*min_k_score(kTrace, 1), 3);
  EXPECT_DOUBLE_EQ(*min_k_score(kTrace, 0.01), 5);  // at least one token
}

TEST(MinKScoreTest, IsZeroWithoutTokens) {
  EXPECT_EQ(min_k_score(kNoLabels, 0.2), 0);
  const trace::Trace only_end{.index = "0", .num_labels = 1, .logprob = {{-3}}};
  EXPECT_EQ(min_k_score(only_end, 0.2), 0);
  EXPECT_FALSE(std::signbit(*min_k_score(only_end, 0.2)));
}

TEST(MinKPlusPlusScoreTest, StandardisesByTheModelsOwnDistribution) {
  // z = {1, -1.5, 0, -1, -1/sqrt(1e-6) = -1000}
  EXPECT_NEAR(*min_k_plus_plus_score(kTrace, 0.2), 1000, 1e-9);
  EXPECT_NEAR(*min_k_plus_plus_score(kTrace, 0.4), (1000 + 1.5) / 2, 1e-9);
  EXPECT_EQ(min_k_plus_plus_score(kNoLabels, 0.2), 0);
}

TEST(ZlibScoreTest, DividesByTheCompressedSize) {
  EXPECT_EQ(compressed_size("abc"), 11);  // what Python's len(zlib.compress(b"abc")) gives
  EXPECT_EQ(compressed_size(""), 8);
  EXPECT_EQ(compressed_size(std::string(1000, 'a')), 17);
  EXPECT_DOUBLE_EQ(*zlib_score(kTrace), 115.0 / 6 / 11);
  EXPECT_EQ(zlib_score(kNoLabels), std::nullopt);
}

// One labelled token is the last one, so token-wise scores have nothing to look at; of two equal ones
// one counts.
TEST(ScoresTest, OfOneAndOfTwoTokens) {
  const trace::Trace one{
      .index = "0", .text = "a", .num_labels = 1, .logprob = {{-2}}, .mean = {{-1}}, .var = {{1}}};
  EXPECT_EQ(loss_score(one), 2);
  EXPECT_EQ(min_k_score(one, 0.2), 0);
  EXPECT_EQ(min_k_plus_plus_score(one, 0.2), 0);
  EXPECT_EQ(zlib_score(one), 2.0 / 9);
  trace::Trace two = one;
  two.num_labels = 2;
  two.logprob = {{-2, -2}};
  two.mean = {{-1, -1}};
  two.var = {{1, 1}};
  EXPECT_EQ(loss_score(two), 2);
  EXPECT_EQ(min_k_score(two, 0.2), 2);
  EXPECT_EQ(min_k_plus_plus_score(two, 0.2), 1);
  EXPECT_EQ(zlib_score(two), 2.0 / 9);
  EXPECT_EQ(surp_score(two, 0.4, 2), 2);
}

TEST(MeanOfLowestTest, HandlesTheEnds) {
  EXPECT_EQ(mean_of_lowest({}, 0.5), std::nullopt);
  EXPECT_EQ(mean_of_lowest({3}, 0.5), 3);
  EXPECT_EQ(mean_of_lowest({3, 1, 2}, 1), 2);
}

}  // namespace
}  // namespace palimpsest::attack
