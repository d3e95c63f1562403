#include "palimpsest/attack/internal/lowest_share.h"

#include <gtest/gtest.h>

namespace palimpsest::attack {
namespace {

TEST(LowestShareTest, AtLeastOneCounts) {
  EXPECT_EQ(lowest_count(3, 0.1), 1);
  EXPECT_EQ(lowest_count(10, 0.25), 2);
  EXPECT_EQ(lowest_count(10, 1), 10);
}

TEST(LowestShareTest, MeanAndPositionsAreOfTheSameNumbers) {
  const std::vector<double> values = {-1, -5, -2, -5, -3};
  EXPECT_EQ(mean_of_lowest(values, 0.4), -5);
  EXPECT_EQ(positions_of_lowest(values, 0.4), (std::vector<size_t>{1, 3}));
  EXPECT_EQ(positions_of_lowest(values, 0.6), (std::vector<size_t>{1, 3, 4}));
}

TEST(LowestShareTest, OfEqualsTheFirst) {
  const std::vector<double> values = {0, 0, 0, 0};
  EXPECT_EQ(positions_of_lowest(values, 0.5), (std::vector<size_t>{0, 1}));
}

TEST(LowestShareTest, NoNumbersHaveNoLowest) {
  EXPECT_EQ(mean_of_lowest({}, 0.5), std::nullopt);
  EXPECT_TRUE(positions_of_lowest({}, 0.5).empty());
}

TEST(MeanOfLowestTest, HandlesTheEnds) {
  EXPECT_EQ(mean_of_lowest({}, 0.5), std::nullopt);
  EXPECT_EQ(mean_of_lowest({3}, 0.5), 3);
  EXPECT_EQ(mean_of_lowest({3, 1, 2}, 1), 2);
}

}  // namespace
}  // namespace palimpsest::attack
