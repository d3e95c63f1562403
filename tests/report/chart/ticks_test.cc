#include "palimpsest/report/internal/chart/ticks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/random.h"

namespace palimpsest::report {
namespace {

std::vector<std::string> labels_of(const std::vector<Tick>& ticks) {
  std::vector<std::string> labels;
  for (const Tick& tick : ticks) labels.push_back(tick.label);
  return labels;
}

using Labels = std::vector<std::string>;

TEST(TicksTest, RoundNumbersWithTheDecimalsThatTheyNeed) {
  EXPECT_EQ(labels_of(linear_ticks({0, 1}, 7)), (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels_of(linear_ticks({0, 1}, 4)), (Labels{"0", "0.5", "1.0"}));
  EXPECT_EQ(labels_of(linear_ticks({-0.2, 1.2}, 5)), (Labels{"0", "0.5", "1.0"}));
  EXPECT_EQ(labels_of(linear_ticks({-8.3, 21}, 7)), (Labels{"−5", "0", "5", "10", "15", "20"}));
  EXPECT_EQ(labels_of(linear_ticks({0, 4e7}, 3)), (Labels{"0", "2e7", "4e7"}));
  EXPECT_EQ(labels_of(linear_ticks({0, 4e-9}, 3)), (Labels{"0", "2e-9", "4e-9"}));
}

TEST(TicksTest, StepsAreOneTwoOrFiveForAnyRange) {
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const double low = random.normal() * std::pow(10, random.uniform() * 12 - 6);
    const double high = low + std::exp(random.normal() * 6);
    const size_t most = 2 + random.below(7);
    const std::vector<Tick> ticks = linear_ticks({low, high}, most);
    if (high - low < 1e-9 * std::abs(low)) continue;
    ASSERT_LE(ticks.size(), most);
    ASSERT_GE(ticks.size(), 2U) << low << " " << high << " " << most;
    for (size_t t = 0; t < ticks.size(); ++t) {
      ASSERT_GE(ticks[t].value, low);
      ASSERT_LE(ticks[t].value, high);
      if (t == 0) continue;
      ASSERT_NE(ticks[t].label, ticks[t - 1].label);
    }
  }
}

TEST(TicksTest, ExtremeRangesHaveAtLeastOne) {
  for (const stat::Interval range :
       {stat::Interval{-1.7e308, 1.7e308}, stat::Interval{1, std::nextafter(1.0, 2)},
        stat::Interval{0, 5e-324}, stat::Interval{1e300, 1.1e300}}) {
    EXPECT_GE(linear_ticks(range, 5).size(), 1U) << range.low;
  }
}

TEST(TicksTest, DecadesOfALogarithmicAxis) {
  EXPECT_EQ(labels_of(log_ticks({0.001, 1}, 7)), (Labels{"0.001", "0.01", "0.1", "1"}));
  EXPECT_EQ(labels_of(log_ticks({1e-6, 1}, 4)), (Labels{"1e-6", "0.0001", "0.01", "1"}));
  EXPECT_EQ(labels_of(log_ticks({0.03, 0.3}, 7)), (Labels{"0.05", "0.1", "0.2"}));
}

TEST(TicksTest, GivenTicksKeepTheirDecimalsTogether) {
  EXPECT_EQ(labels_of(ticks_at({0, 0.25, 0.5, 2}, {0, 1})), (Labels{"0", "0.25", "0.50"}));
}

}  // namespace
}  // namespace palimpsest::report
