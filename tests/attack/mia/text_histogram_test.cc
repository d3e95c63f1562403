#include "palimpsest/attack/internal/mia/text_histogram.h"

#include <gtest/gtest.h>

namespace palimpsest::attack {
namespace {

TEST(TextHistogramTest, OneScaleForBothRows) {
  const ScoreColumn forget = {0, 0, 0, 0, 1, 1, std::nullopt};
  const ScoreColumn holdout = {3, 4};
  const TextHistogram histogram = text_histogram({forget, holdout}, 4, true);
  EXPECT_EQ(histogram.forget, "*-  ");  // 4/6 and 2/6 of at most 1
  EXPECT_EQ(histogram.holdout, "   @");
  EXPECT_EQ(histogram.low, 0);
  EXPECT_EQ(histogram.high, 4);
  EXPECT_EQ(text_histogram({forget, holdout}, 4, false).holdout, "   █");
}

TEST(TextHistogramTest, EqualScoresFillOneBin) {
  const ScoreColumn same = {2, 2};
  EXPECT_EQ(text_histogram({same, same}, 3, true).forget, "@  ");
}

TEST(TextHistogramTest, NothingToShowIsEmpty) {
  const ScoreColumn none = {std::nullopt};
  EXPECT_EQ(text_histogram({none, {}}, 3, true).forget, "");
}

TEST(TextHistogramTest, OutliersCountAtTheEnds) {
  ScoreColumn scores;
  for (int i = 0; i < 200; ++i) scores.push_back(i);
  scores[199] = 1e9;
  const TextHistogram histogram = text_histogram({scores, scores}, 10, true);
  EXPECT_LT(histogram.high, 200);
  EXPECT_EQ(histogram.forget.find(' '), std::string::npos);
}

TEST(TextHistogramTest, ExtremeScoresDoNotOverflow) {
  const ScoreColumn scores = {-1.7e308, 1.7e308};
  EXPECT_EQ(text_histogram({scores, scores}, 2, true).forget, "@@");
}

}  // namespace
}  // namespace palimpsest::attack
