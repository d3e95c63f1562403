#include "palimpsest/stat/kolmogorov_smirnov.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "tests/stat/golden_cases.h"

namespace palimpsest::stat {
namespace {

using Sample = std::vector<double>;

// The share of all orders of the pooled sample with at least this statistic, by trying them all.
double p_value_by_orders(int64_t m, int64_t n, double statistic) {
  std::vector<int> order(static_cast<size_t>(m), 0);
  order.insert(order.end(), static_cast<size_t>(n), 1);
  int64_t extreme = 0;
  int64_t all = 0;
  do {
    double largest = 0;
    double i = 0;
    double j = 0;
    for (int sample : order) {
      (sample == 0 ? i : j) += 1;
      largest =
          std::max(largest, std::abs(i / static_cast<double>(m) - j / static_cast<double>(n)));
    }
    all += 1;
    extreme += largest >= statistic - 1e-12 ? 1 : 0;
  } while (std::next_permutation(order.begin(), order.end()));
  return static_cast<double>(extreme) / static_cast<double>(all);
}

Sample random_sample(Random& random, int64_t count, double shift) {
  Sample sample;
  for (int64_t i = 0; i < count; ++i) sample.push_back(random.normal() + shift);
  return sample;
}

TEST(KsTwoSampleTest, DocumentedExample) {
  const auto result = ks_two_sample(Sample{1, 2}, Sample{3, 4, 5});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->statistic, 1);
  EXPECT_DOUBLE_EQ(result->p_value, 0.2);
  EXPECT_EQ(result->method, KsMethod::kExact);
}

TEST(KsTwoSampleTest, ExactPValueCountsOrders) {
  Random random(7);
  for (const auto& [m, n] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {1, 5}, {2, 4}, {3, 3}, {4, 6}, {5, 5}, {3, 8}, {7, 5}}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      const Sample a = random_sample(random, m, 0.5 * repeat);
      const Sample b = random_sample(random, n, 0);
      const auto result = ks_two_sample(a, b, KsMethod::kExact);
      ASSERT_TRUE(result);
      EXPECT_NEAR(result->p_value, p_value_by_orders(m, n, result->statistic), 1e-14)
          << m << ' ' << n << " D " << result->statistic;
    }
  }
}

TEST(KsTwoSampleTest, TiesAreTakenTogether) {
  // After 1: 2/3 against 1/2.
  EXPECT_DOUBLE_EQ(ks_two_sample(Sample{1, 1, 2}, Sample{1, 2})->statistic, 1.0 / 6);
  const auto equal = ks_two_sample(Sample{0.0, 1, 1}, Sample{-0.0, 1, 1});
  EXPECT_EQ(equal->statistic, 0);
  EXPECT_EQ(equal->p_value, 1);
}

TEST(KsTwoSampleTest, IsSymmetric) {
  Random random(3);
  const Sample a = random_sample(random, 37, 0.4);
  const Sample b = random_sample(random, 90, 0);
  for (KsMethod method : {KsMethod::kExact, KsMethod::kAsymptotic}) {
    EXPECT_EQ(ks_two_sample(a, b, method)->p_value, ks_two_sample(b, a, method)->p_value);
    EXPECT_EQ(ks_two_sample(a, b, method)->statistic, ks_two_sample(b, a, method)->statistic);
  }
}

TEST(KsTwoSampleTest, SmallPValuesKeepTheirDigits) {
  // Disjoint samples: 2 of C(2n, n) orders.
  Sample a(400);
  Sample b(400);
  std::iota(a.begin(), a.end(), 0);
  std::iota(b.begin(), b.end(), 1000);
  double expected = 2;
  for (int k = 1; k <= 400; ++k) expected *= k / (400.0 + k);
  EXPECT_NEAR(ks_two_sample(a, b)->p_value / expected, 1, 1e-12);
  EXPECT_LT(expected, 1e-238);
}

TEST(KsTwoSampleTest, ReportsTheMethodUsed) {
  const Sample small = {1, 2, 3};
  Sample large(10'001);
  std::iota(large.begin(), large.end(), 0);
  EXPECT_EQ(ks_two_sample(small, large)->method, KsMethod::kAsymptotic);
  EXPECT_EQ(ks_two_sample(small, large, KsMethod::kExact)->method, KsMethod::kExact);
  large.pop_back();
  EXPECT_EQ(ks_two_sample(small, large)->method, KsMethod::kExact);
  EXPECT_EQ(ks_two_sample(small, large, KsMethod::kAsymptotic)->method, KsMethod::kAsymptotic);
  // round(1·1/2) = 0 draws say nothing.
  EXPECT_EQ(ks_two_sample(Sample{1}, Sample{2}, KsMethod::kAsymptotic)->method, KsMethod::kExact);
}

TEST(KsTwoSampleTest, ExactGivesWayWhereItWouldTakeForever) {
  Sample a(200'000);
  Sample b(200'001);
  std::iota(a.begin(), a.end(), 0);
  std::iota(b.begin(), b.end(), 60'000);
  EXPECT_EQ(ks_two_sample(a, b, KsMethod::kExact)->method, KsMethod::kAsymptotic);
}

TEST(KsTwoSampleTest, EmptySamplesAreUndefined) {
  EXPECT_EQ(ks_two_sample({}, Sample{1}), std::nullopt);
  EXPECT_EQ(ks_two_sample(Sample{1}, {}), std::nullopt);
  EXPECT_EQ(ks_two_sample({}, {}), std::nullopt);
}

TEST(KsTwoSampleTest, RefusesNanAndInfinity) {
  for (double bad : Sample{std::nan(""), INFINITY, -INFINITY}) {
    EXPECT_THROW(ks_two_sample(Sample{1, bad}, Sample{1}), Error);
    EXPECT_THROW(ks_two_sample(Sample{1}, Sample{bad, 2}), Error);
    EXPECT_THROW(ks_two_sample({}, Sample{bad}), Error);
  }
}

TEST(KsTwoSampleGoldenTest, EqualsScipy) {
  for (const Json& item : golden_cases("ks")) {
    SCOPED_TRACE(item["name"].dump());
    const auto a = item["a"].get<Sample>();
    const auto b = item["b"].get<Sample>();
    const auto exact = ks_two_sample(a, b, KsMethod::kExact);
    ASSERT_TRUE(exact);
    EXPECT_EQ(exact->statistic, number(item["exact"]["statistic"]));
    // The integer count of paths, rounded once; SciPy is within 1e-15 of it too.
    const double p_value = number(item["exact_p_value"]);
    EXPECT_NEAR(exact->p_value, p_value, 1e-13 * p_value);
    EXPECT_NEAR(exact->p_value, number(item["exact"]["p_value"]), 1e-12 * p_value);
    EXPECT_EQ(ks_two_sample(a, b)->p_value, exact->p_value);
    const double asymptotic = number(item["asymp"]["p_value"]);
    if (std::isnan(asymptotic)) continue;  // one value against one
    // SciPy's statistic is a difference of rounded shares here, off by up to 1e-16.
    EXPECT_NEAR(ks_two_sample(a, b, KsMethod::kAsymptotic)->p_value, asymptotic,
                1e-11 * asymptotic);
  }
}

TEST(KsTwoSampleGoldenTest, EqualsScipyOnLargeSamples) {
  for (const Json& item : golden_cases("ks_large")) {
    SCOPED_TRACE(item.dump());
    Sample a(item["m"].get<size_t>());
    Sample b(item["n"].get<size_t>());
    std::iota(a.begin(), a.end(), 0);
    for (size_t i = 0; i < b.size(); ++i) {
      b[i] = static_cast<double>(i) * number(item["scale"]) + number(item["shift"]);
    }
    const auto result = ks_two_sample(a, b);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->method, item["exact"].get<bool>() ? KsMethod::kExact : KsMethod::kAsymptotic);
    EXPECT_NEAR(result->statistic, number(item["statistic"]), 1e-15);
    EXPECT_NEAR(result->p_value, number(item["p_value"]), 1e-10 * number(item["p_value"]));
  }
}

}  // namespace
}  // namespace palimpsest::stat
