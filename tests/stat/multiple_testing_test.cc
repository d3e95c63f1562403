#include "palimpsest/stat/multiple_testing.h"

#include <gtest/gtest.h>

#include <limits>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/internal/conformal.h"
#include "tests/support/expect_error.h"

namespace palimpsest::stat {
namespace {

using Values = std::vector<double>;

void expect_near(const Values& actual, const Values& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-15) << i;
}

TEST(HolmTest, WorkedExample) {
  expect_near(holm(Values{0.01, 0.04, 0.03}), {0.03, 0.06, 0.06});
  expect_near(holm(Values{0.01, 0.02, 0.9, 0.8}), {0.04, 0.06, 1, 1});
  expect_near(holm(Values{0.2}), {0.2});
  expect_near(holm(Values{}), {});
}

TEST(BenjaminiHochbergTest, WorkedExample) {
  expect_near(benjamini_hochberg(Values{0.01, 0.04, 0.03}), {0.03, 0.04, 0.04});
  expect_near(benjamini_hochberg(Values{0.9, 0.005, 0.02, 1}), {1, 0.02, 0.04, 1});
  expect_near(benjamini_hochberg(Values{0.2}), {0.2});
  expect_near(benjamini_hochberg(Values{}), {});
}

TEST(BenjaminiHochbergTest, RefusesWhatIsNoPValue) {
  for (double bad : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    expect_contains(error_of([&] { benjamini_hochberg(Values{0.5, bad}); }), "not a p-value");
    expect_contains(error_of([&] { holm(Values{0.5, bad}); }), "not a p-value");
  }
}

// A tenth of the records differs from the calibration set by three deviations: the share of false
// ones among those found must stay below the rate asked for, and most must be found.
TEST(BenjaminiHochbergTest, ConformalPValuesKeepTheFalseDiscoveryRate) {
  constexpr int kRuns = 2000;
  constexpr int kRecords = 100;
  constexpr int kRemembered = 10;
  constexpr double kRate = 0.1;
  double false_share = 0;
  double found = 0;
  for (int run = 0; run < kRuns; ++run) {
    Random random = Random(7).split(static_cast<uint64_t>(run));
    Values calibration(1000);
    for (double& score : calibration) score = random.normal();
    Values records(kRecords);
    for (int i = 0; i < kRecords; ++i) {
      records[static_cast<size_t>(i)] = random.normal() - (i < kRemembered ? 3 : 0);
    }
    const Values q = benjamini_hochberg(conformal_p_values(records, calibration));
    int right = 0;
    int wrong = 0;
    for (int i = 0; i < kRecords; ++i) {
      if (q[static_cast<size_t>(i)] <= kRate) ++(i < kRemembered ? right : wrong);
    }
    if (right + wrong > 0) false_share += static_cast<double>(wrong) / (right + wrong) / kRuns;
    found += static_cast<double>(right) / kRemembered / kRuns;
  }
  // In theory 0.09 (the share of true nulls times the rate); the deviation of the mean is 0.003.
  EXPECT_LT(false_share, kRate);
  EXPECT_GT(false_share, 0.07);
  EXPECT_GT(found, 0.6);
}

// Where nothing is remembered any finding at all is false.
TEST(BenjaminiHochbergTest, FindsSomethingAtMostAsOftenAsAskedWhereThereIsNothing) {
  constexpr int kRuns = 4000;
  int any = 0;
  for (int run = 0; run < kRuns; ++run) {
    Random random = Random(8).split(static_cast<uint64_t>(run));
    Values calibration(300);
    Values records(60);
    for (double& score : calibration) score = random.normal();
    for (double& score : records) score = random.normal();
    const Values q = benjamini_hochberg(conformal_p_values(records, calibration));
    for (double value : q) {
      if (value > 0.1) continue;
      ++any;
      break;
    }
  }
  EXPECT_LT(any, 0.115 * kRuns);  // three deviations above 10%
  EXPECT_GT(any, 0.02 * kRuns);
}

}  // namespace
}  // namespace palimpsest::stat
