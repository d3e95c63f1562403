#include "palimpsest/stat/binomial.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {
namespace {

TEST(ClopperPearsonTest, DocumentedExample) {
  const Interval interval = clopper_pearson(8, 10, 0.95);
  EXPECT_NEAR(interval.low, 0.4439045376923585, 1e-12);
  EXPECT_NEAR(interval.high, 0.9747892736731666, 1e-12);
}

TEST(ClopperPearsonTest, ClosedFormAtTheEnds) {
  EXPECT_EQ(clopper_pearson(0, 10, 0.95).low, 0);
  EXPECT_NEAR(clopper_pearson(0, 10, 0.95).high, 1 - std::pow(0.025, 0.1), 1e-13);
  EXPECT_EQ(clopper_pearson(10, 10, 0.95).high, 1);
  EXPECT_NEAR(clopper_pearson(10, 10, 0.95).low, std::pow(0.025, 0.1), 1e-13);
}

TEST(BinomialIntervalTest, NoTrialsSayNothing) {
  for (auto* interval : {clopper_pearson, wilson, jeffreys}) {
    EXPECT_EQ(interval(0, 0, 0.95), (Interval{0, 1}));
  }
}

TEST(BinomialIntervalTest, RefusesImpossibleInput) {
  for (auto* interval : {clopper_pearson, wilson, jeffreys}) {
    EXPECT_THROW(interval(-1, 10, 0.95), Error);
    EXPECT_THROW(interval(11, 10, 0.95), Error);
    EXPECT_THROW(interval(1, 10, 0), Error);
    EXPECT_THROW(interval(1, 10, 1), Error);
    EXPECT_THROW(interval(1, 10, std::nan("")), Error);
  }
}

TEST(BinomialIntervalTest, SwappingSuccessAndFailureMirrorsTheInterval) {
  for (auto* interval : {clopper_pearson, wilson, jeffreys}) {
    for (int64_t k = 0; k <= 7; ++k) {
      const Interval a = interval(k, 7, 0.9);
      const Interval b = interval(7 - k, 7, 0.9);
      EXPECT_NEAR(a.low, 1 - b.high, 1e-12);
      EXPECT_NEAR(a.high, 1 - b.low, 1e-12);
      EXPECT_TRUE(a.contains(static_cast<double>(k) / 7));
    }
  }
}

TEST(BinomialIntervalTest, LargeCountsStayAccurate) {
  const Interval interval = clopper_pearson(500'000'000, 1'000'000'000, 0.95);
  EXPECT_NEAR(interval.high - interval.low, 2 * 1.959964 * 0.5 / std::sqrt(1e9), 1e-8);
}

TEST(DrawBinomialTest, HasTheMomentsOfTheDistribution) {
  Random random(1);
  for (const auto& [trials, rate] : {std::pair<int64_t, double>{10, 0.3}, {1'000'000, 0.999}}) {
    constexpr int kDraws = 4000;
    double sum = 0;
    double squares = 0;
    const double mean = static_cast<double>(trials) * rate;
    const double variance = mean * (1 - rate);
    for (int i = 0; i < kDraws; ++i) {
      const int64_t drawn = draw_binomial(trials, rate, random);
      ASSERT_TRUE(drawn >= 0 && drawn <= trials);
      const double off = (static_cast<double>(drawn) - mean) / std::sqrt(variance);
      sum += off;
      squares += off * off;
    }
    EXPECT_NEAR(sum / kDraws, 0, 0.07);  // more than four standard errors
    EXPECT_NEAR(squares / kDraws, 1, 0.12);
  }
}

TEST(DrawBinomialTest, SureThings) {
  Random random(1);
  EXPECT_EQ(draw_binomial(5, 0, random), 0);
  EXPECT_EQ(draw_binomial(5, 1, random), 5);
  EXPECT_EQ(draw_binomial(0, 0.5, random), 0);
  EXPECT_THROW(draw_binomial(5, 1.5, random), Error);
}

}  // namespace
}  // namespace palimpsest::stat
