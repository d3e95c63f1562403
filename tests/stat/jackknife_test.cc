#include "palimpsest/stat/jackknife.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/expect_error.h"

namespace palimpsest::stat {
namespace {

using Strata = std::vector<std::vector<double>>;

TEST(JackknifeTest, OfAMeanItIsStudentsInterval) {
  // The mean of 1, 2, 3: variance of the mean 1/3, t at 0.975 with 2 degrees of freedom 4.302653.
  const Strata strata = {{2.5, 2, 1.5}};
  const auto estimate = jackknife(2, strata);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->variance, 1.0 / 3, 1e-15);
  EXPECT_NEAR(estimate->degrees_of_freedom, 2, 1e-12);
  const Interval interval = jackknife_interval(*estimate);
  EXPECT_NEAR(interval.low, 2 - 4.302652729749464 * std::sqrt(1.0 / 3), 1e-12);
  EXPECT_NEAR(interval.high, 2 + 4.302652729749464 * std::sqrt(1.0 / 3), 1e-12);
}

TEST(JackknifeTest, VariancesOfStrataAddUp) {
  // V = 1/3 + 1/3, equal parts: the degrees of freedom add up, too.
  const auto estimate = jackknife(2, Strata{{2.5, 2, 1.5}, {1.5, 2.5, 2}});
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->variance, 2.0 / 3, 1e-15);
  EXPECT_NEAR(estimate->degrees_of_freedom, 4, 1e-12);
  // A stratum that does not vary adds nothing.
  const auto still = jackknife(2, Strata{{2.5, 2, 1.5}, {2, 2}});
  ASSERT_TRUE(still);
  EXPECT_NEAR(still->variance, 1.0 / 3, 1e-15);
  EXPECT_NEAR(still->degrees_of_freedom, 2, 1e-12);
}

TEST(JackknifeTest, IsUndefinedWhereNothingVariesOrTheClustersAreTooFew) {
  EXPECT_FALSE(jackknife(2, Strata{}));
  EXPECT_FALSE(jackknife(2, Strata{{2.5}}));
  EXPECT_FALSE(jackknife(2, Strata{{2.5, 1.5}, {1}}));
  EXPECT_FALSE(jackknife(2, Strata{{2, 2, 2}}));
  EXPECT_FALSE(jackknife(0.1, Strata{{0.1 + 1e-17, 0.1 - 1e-17}}));
  EXPECT_FALSE(jackknife(2, Strata{{2, std::numeric_limits<double>::quiet_NaN()}}));
  EXPECT_FALSE(jackknife(std::numeric_limits<double>::infinity(), Strata{{2, 3}}));
  EXPECT_FALSE(error_of([] { jackknife_interval(JackknifeEstimate{1, 1, 1}, 1); }).empty());
}

}  // namespace
}  // namespace palimpsest::stat
