#include "palimpsest/metric/internal/stack_stats.h"

#include "palimpsest/stat/histogram_stat.h"
#include "palimpsest/stat/mean_stat.h"
#include "palimpsest/stat/moments_stat.h"
#include "palimpsest/stat/sum_stat.h"
#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

TEST(StackStatsTest, ElementsThatAreNotGivenAreIdentities) {
  const stat::AnyStat stacked = stack_stats(3, stat::MeanStat(), {{1, stat::MeanStat::make(3, 4)}});
  EXPECT_EQ(accum_of(stacked), Array::vector({0, 3, 0}));
  EXPECT_EQ(weight_of(stacked), Array::vector({0, 4, 0}));
  EXPECT_EQ(stacked.reduce(0).result(), Array(0.75));
}

TEST(StackStatsTest, TheStackHasALeadingAxis) {
  const stat::AnyStat a = stat::SumStat::make(Array({2, 2}, {1, 2, 3, 4}));
  const stat::AnyStat stacked = stack_stats(2, a.zero(), {{1, a}});
  EXPECT_EQ(accum_of(stacked), Array({2, 2, 2}, {0, 0, 0, 0, 1, 2, 3, 4}));
}

TEST(StackStatsTest, WithoutElementsTheIdentityGivesTheShape) {
  EXPECT_EQ(accum_of(stack_stats(2, stat::SumStat::make(Array::zeros({3})), {})),
            Array::zeros({2, 3}));
  EXPECT_EQ(accum_of(stack_stats(2, stat::MeanStat(), {})), Array::zeros({2}));
}

TEST(StackStatsTest, MomentsStackToo) {
  const stat::AnyStat moments = stat::MomentsStat::of(std::vector<double>{1, 2, 3, 4});
  const stat::AnyStat stacked = stack_stats(2, stat::MomentsStat(), {{0, moments}});
  EXPECT_EQ(stacked.reduce(0).result(), moments.result());
}

TEST(StackStatsTest, RefusesWhatDoesNotGoTogether) {
  const stat::AnyStat two = stat::MeanStat::make(Array::zeros({2}), Array::zeros({2}));
  const stat::AnyStat three = stat::MeanStat::make(Array::zeros({3}), Array::zeros({3}));
  EXPECT_NE(error_of([&] { stack_stats(2, stat::MeanStat(), {{0, two}, {1, three}}); }), "");
  EXPECT_NE(error_of([&] { stack_stats(2, stat::MeanStat(), {{0, stat::SumStat::make(1)}}); }), "");
  const stat::AnyStat histogram = stat::HistogramStat::of(std::vector<double>{0.5}, {0, 1});
  EXPECT_EQ(error_of([&] { stack_stats(2, histogram, {}); }),
            "statistics of the type 'histogram' do not stack (expected mean, sum or moments)");
}

TEST(StackStatsTest, RefusesWhatCannotBeHeld) {
  EXPECT_NE(error_of([&] { stack_stats(kMaxStackedNumbers + 1, stat::MeanStat(), {}); }), "");
  EXPECT_NE(error_of([&] { stack_stats(INT64_MAX, stat::SumStat::make(Array::zeros({3})), {}); }),
            "");
}

}  // namespace
}  // namespace palimpsest::metric
