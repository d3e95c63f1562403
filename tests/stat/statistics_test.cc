// The worked examples of the statistics' headers, and their empty and degenerate cases.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/binned_roc_stat.h"
#include "palimpsest/stat/histogram_stat.h"
#include "palimpsest/stat/mean_stat.h"
#include "palimpsest/stat/moments_stat.h"
#include "palimpsest/stat/sum_stat.h"

namespace palimpsest::stat {
namespace {

TEST(MeanStatTest, MergesByAddingAccumAndWeight) {
  const MeanStat merged = MeanStat::make(1, 2).merge(MeanStat::make(2, 3));
  EXPECT_EQ(merged.accum().scalar(), 3);
  EXPECT_EQ(merged.weight().scalar(), 5);
  EXPECT_EQ(merged.result().scalar(), 0.6);
}

TEST(MeanStatTest, WeightOfZeroOrLessIsTheIdentityWhateverItsAccum) {
  const MeanStat stat = MeanStat::make(Array::vector({1, 2, 4, 9}), Array::vector({1, 1, 0, -3}));
  EXPECT_EQ(stat.accum(), Array::vector({1, 2, 0, 0}));
  EXPECT_EQ(stat.weight(), Array::vector({1, 1, 0, 0}));
  EXPECT_EQ(stat.reduce(0).result().scalar(), 1.5);
}

TEST(MeanStatTest, NanWeightIsTheIdentity) {
  EXPECT_EQ(MeanStat::make(3, std::nan("")).weight().scalar(), 0);
}

TEST(MeanStatTest, NegativeAccumIsLegal) {
  EXPECT_EQ(MeanStat::make(-6, 4).result().scalar(), -1.5);
}

TEST(MeanStatTest, MeanOfNothingIsUndefined) {
  EXPECT_TRUE(std::isnan(MeanStat().result().scalar()));
  EXPECT_TRUE(std::isnan(MeanStat::make(4, 0).result().scalar()));
}

TEST(MeanStatTest, RankZeroIdentityMergesWithEveryShape) {
  const MeanStat row = MeanStat::make(Array::vector({1, 2}), Array::vector({1, 1}));
  EXPECT_EQ(MeanStat().merge(row).accum(), row.accum());
  EXPECT_EQ(row.merge(MeanStat()).accum(), row.accum());
  // But only the identity does.
  EXPECT_THROW(MeanStat::make(0, 1).merge(row), Error);
}

TEST(SumStatTest, AddsUp) {
  EXPECT_EQ(SumStat::make(1).merge(SumStat::make(2)).result().scalar(), 3);
  EXPECT_EQ(SumStat::make(Array::vector({1, 2, 1})).reduce(0).result().scalar(), 4);
  EXPECT_EQ(SumStat().result().scalar(), 0);
}

TEST(SumStatTest, PerDomainConfusionMatricesReduceToOne) {
  const SumStat domains = SumStat::make(Array({2, 2, 2}, {1, 2, 3, 4, 10, 20, 30, 40}));
  EXPECT_EQ(domains.reduce(0).result(), Array({2, 2}, {11, 22, 33, 44}));
  EXPECT_EQ(domains.reduce(-1).result(), Array({2, 2}, {3, 7, 30, 70}));
}

TEST(MomentsStatTest, GivesMeanAndSampleVariance) {
  const std::vector<double> values = {1, 2, 3, 4};
  const Array result = MomentsStat::of(values).result();
  EXPECT_EQ(result.values()[0], 2.5);
  EXPECT_NEAR(result.values()[1], 5.0 / 3, 1e-15);
}

TEST(MomentsStatTest, SurvivesALargeOffset) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(1e9 + i % 2);
  EXPECT_NEAR(MomentsStat::of(values).variance().scalar(), 0.25 * 1000 / 999, 1e-9);
}

TEST(MomentsStatTest, UndefinedWithoutEnoughValues) {
  EXPECT_TRUE(std::isnan(MomentsStat().result().values()[0]));
  const MomentsStat one = MomentsStat::make(3);
  EXPECT_EQ(one.result().values()[0], 3);
  EXPECT_TRUE(std::isnan(one.result().values()[1]));
}

TEST(HistogramStatTest, CountsInBinsBelowAndAbove) {
  const std::vector<double> values = {-1, 0, 0.1, 0.5, 0.6, 1, 7};
  const HistogramStat histogram = HistogramStat::of(values, {0, 0.5, 1});
  EXPECT_EQ(histogram.result(), Array::vector({2, 3}));  // the last bin includes 1
  EXPECT_EQ(histogram.below().scalar(), 1);
  EXPECT_EQ(histogram.above().scalar(), 1);
}

TEST(HistogramStatTest, RefusesBadEdgesAndValues) {
  const std::vector<double> none;
  EXPECT_THROW(HistogramStat::of(none, {1}), Error);
  EXPECT_THROW(HistogramStat::of(none, {1, 1}), Error);
  EXPECT_THROW(HistogramStat::of(none, {0, INFINITY}), Error);
  const std::vector<double> bad = {std::nan("")};
  EXPECT_THROW(HistogramStat::of(bad, {0, 1}), Error);
}

TEST(HistogramStatTest, DifferentEdgesDoNotMerge) {
  const std::vector<double> none;
  EXPECT_THROW(HistogramStat::of(none, {0, 1}).merge(HistogramStat::of(none, {0, 2})), Error);
}

TEST(BinnedRocStatTest, SeparatedScoresHaveAucOne) {
  const std::vector<int> labels = {1, 0};
  const std::vector<double> scores = {0.9, 0.1};
  EXPECT_EQ(BinnedRocStat::of(labels, scores, {.low = 0, .high = 1, .bins = 10}).result().scalar(),
            1);
}

TEST(BinnedRocStatTest, BoundsBracketTheExactAuc) {
  const std::vector<int> labels = {1, 0, 1, 0};
  const std::vector<double> scores = {0.52, 0.58, 0.95, 0.05};  // exact AUC 3/4
  const BinnedRocStat roc = BinnedRocStat::of(labels, scores, {.low = 0, .high = 1, .bins = 10});
  EXPECT_EQ(roc.auc_bounds(), Array::vector({0.75, 1}));
  EXPECT_EQ(roc.result().scalar(), 0.875);
}

TEST(BinnedRocStatTest, ScoresOutsideTheRangeFallIntoTheOuterBins) {
  const std::vector<int> labels = {1, 0};
  const std::vector<double> scores = {INFINITY, -1e300};
  const BinnedRocStat roc = BinnedRocStat::of(labels, scores, {.low = 0, .high = 1, .bins = 4});
  EXPECT_EQ(roc.positives(), Array::vector({0, 0, 0, 1}));
  EXPECT_EQ(roc.negatives(), Array::vector({1, 0, 0, 0}));
}

TEST(BinnedRocStatTest, UndefinedWithOneClass) {
  const std::vector<int> labels = {1};
  const std::vector<double> scores = {0.5};
  EXPECT_TRUE(std::isnan(BinnedRocStat::of(labels, scores, {}).result().scalar()));
}

TEST(BinnedRocStatTest, RefusesBadInput) {
  const std::vector<int> labels = {2};
  const std::vector<double> scores = {0.5};
  EXPECT_THROW(BinnedRocStat::of(labels, scores, {}), Error);
  const std::vector<int> one = {1};
  const std::vector<double> nan = {std::nan("")};
  EXPECT_THROW(BinnedRocStat::of(one, nan, {}), Error);
  EXPECT_THROW(BinnedRocStat::of(one, scores, {.low = 1, .high = 1}), Error);
  EXPECT_THROW(BinnedRocStat::of(one, scores, {.bins = 0}), Error);
  EXPECT_THROW(BinnedRocStat::of(one, std::vector<double>{}, {}), Error);
}

}  // namespace
}  // namespace palimpsest::stat
