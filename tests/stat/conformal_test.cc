#include "palimpsest/stat/internal/conformal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/random.h"
#include "tests/support/expect_error.h"

namespace palimpsest::stat {
namespace {

using Values = std::vector<double>;

TEST(ConformalTest, WorkedExample) {
  EXPECT_EQ(conformal_p_values(Values{0.5, 2.5}, Values{1, 2, 3}), (Values{0.25, 0.75}));
}

TEST(ConformalTest, TiesCountAgainstTheItem) {
  EXPECT_EQ(conformal_p_values(Values{2}, Values{2, 2, 5}), Values{0.75});
  EXPECT_EQ(conformal_p_values(Values{5}, Values{2, 2, 5}), Values{1});
}

TEST(ConformalTest, NothingToCompareWithIsOne) {
  EXPECT_EQ(conformal_p_values(Values{2}, Values{}), Values{1});
  EXPECT_EQ(conformal_p_values(Values{}, Values{1}), Values{});
}

TEST(ConformalTest, RefusesWhatIsNotFinite) {
  expect_contains(error_of([] { conformal_p_values(Values{NAN}, Values{1}); }), "NaN");
  expect_contains(error_of([] { conformal_p_values(Values{1}, Values{INFINITY}); }), "infinite");
}

TEST(ConformalTest, ExchangeableItemsGetUniformPValues) {
  // With 19 calibration scores p <= 0.1 means the lowest or second lowest of 20: exactly 10%.
  constexpr int kRuns = 20000;
  int small = 0;
  for (int run = 0; run < kRuns; ++run) {
    Random random = Random(3).split(static_cast<uint64_t>(run));
    Values calibration(19);
    for (double& score : calibration) score = std::exp(3 * random.normal());
    if (conformal_p_values(Values{std::exp(3 * random.normal())}, calibration)[0] <= 0.1) ++small;
  }
  EXPECT_NEAR(static_cast<double>(small) / kRuns, 0.1, 0.0085);  // four deviations
}

}  // namespace
}  // namespace palimpsest::stat
