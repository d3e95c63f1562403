#include "palimpsest/stat/labelled_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"

namespace palimpsest::stat {
namespace {

TEST(LabelledScoresTest, SplitsByLabel) {
  const std::vector<int> labels = {1, 0, 1};
  const std::vector<double> scores = {3, 2, 1};
  const LabelledScores split = split_by_label(labels, scores);
  EXPECT_EQ(split.positives, (std::vector<double>{3, 1}));
  EXPECT_EQ(split.negatives, (std::vector<double>{2}));
}

TEST(LabelledScoresTest, RefusesBadInputAndSaysWhere) {
  const std::vector<int> labels = {1, 0};
  EXPECT_THROW(split_by_label(labels, std::vector<double>{1}), Error);
  EXPECT_THROW(split_by_label(std::vector<int>{1, 2}, std::vector<double>{1, 2}), Error);
  for (double bad : {std::nan(""), double{INFINITY}, -double{INFINITY}}) {
    try {
      split_by_label(labels, std::vector<double>{1, bad});
      FAIL() << "no error for " << bad;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "item 1: a score is NaN or infinite");
    }
  }
  EXPECT_THROW(require_finite_scores(std::vector<double>{1, std::nan("")}, "forget"), Error);
  EXPECT_NO_THROW(require_finite_scores(std::vector<double>{1, 2}, "forget"));
}

TEST(LabelledScoresTest, GroupsEqualScoresInAscendingOrder) {
  const LabelledScores scores{.positives = {2, 1, 2}, .negatives = {2, -1}};
  EXPECT_EQ(group_scores(scores), (std::vector<ScoreGroup>{{-1, 0, 1}, {1, 1, 0}, {2, 2, 1}}));
  EXPECT_TRUE(group_scores({}).empty());
}

TEST(SortAscendingTest, RadixSortEqualsStdSort) {
  for (size_t size : {0UL, 1UL, 2UL, 2047UL, 2048UL, 50'000UL}) {
    Random random(size);
    std::vector<double> values;
    for (size_t i = 0; i < size; ++i) {
      // Both signs, all magnitudes, repeats and subnormals.
      values.push_back(std::ldexp(std::round(16 * random.normal()),
                                  static_cast<int>(random.below(2000)) - 1100));
    }
    std::vector<double> expected = values;
    std::sort(expected.begin(), expected.end());
    sort_ascending(values);
    EXPECT_EQ(values, expected) << size;
  }
}

TEST(SortAscendingTest, KeepsConstantArrays) {
  std::vector<double> values(5000, -2.5);
  sort_ascending(values);
  EXPECT_EQ(values, std::vector<double>(5000, -2.5));
}

}  // namespace
}  // namespace palimpsest::stat
