#include "palimpsest/stat/interval.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/expect_error.h"

namespace palimpsest::stat {
namespace {

TEST(IntervalTest, ContainsItsEnds) {
  const Interval interval{0.2, 0.5};
  EXPECT_TRUE(interval.contains(0.2));
  EXPECT_TRUE(interval.contains(0.5));
  EXPECT_FALSE(interval.contains(0.51));
}

TEST(IntervalTest, IsCutAtTheRangeOfPossibleValues) {
  EXPECT_EQ(cut_at({-0.1, 1.2}, {0, 1}), (Interval{0, 1}));
  EXPECT_EQ(cut_at({-0.1, 0.7}, {0, 1}), (Interval{0, 0.7}));
  EXPECT_EQ(cut_at({0.4, 1.2}, {0, 1}), (Interval{0.4, 1}));
  EXPECT_EQ(cut_at({0.4, 0.7}, {0, 1}), (Interval{0.4, 0.7}));
  constexpr double kNoBound = std::numeric_limits<double>::infinity();
  EXPECT_EQ(cut_at({-3, 7}, {-1, kNoBound}), (Interval{-1, 7}));
  EXPECT_EQ(cut_at({-3, 7}, {-kNoBound, kNoBound}), (Interval{-3, 7}));
}

TEST(IntervalTest, AConfidenceLiesBetweenZeroAndOne) {
  EXPECT_NO_THROW(require_confidence(0.95));
  for (const double wrong : {0.0, 1.0, -0.5, 95.0})
    expect_contains(error_of([&] { require_confidence(wrong); }), "between 0 and 1");
}

}  // namespace
}  // namespace palimpsest::stat
