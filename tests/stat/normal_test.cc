#include "palimpsest/stat/internal/normal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {
namespace {

TEST(NormalTest, QuantileInvertsTheDistributionInBothTails) {
  for (double p : {1e-300, 1e-20, 0.025, 0.5, 0.8, 0.975}) {
    EXPECT_NEAR(normal_cdf(normal_quantile(p)) / p, 1, 1e-11) << p;
  }
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(two_sided_z(0.95), 1.959963984540054, 1e-14);
}

TEST(NormalTest, QuantileOfTheEndsIsInfinite) {
  EXPECT_EQ(normal_quantile(0), -INFINITY);
  EXPECT_EQ(normal_quantile(1), INFINITY);
}

TEST(NormalTest, RefusesWhatIsNoProbability) {
  EXPECT_THROW(normal_quantile(-0.1), Error);
  EXPECT_THROW(normal_quantile(std::nan("")), Error);
  EXPECT_THROW(two_sided_z(0), Error);
  EXPECT_THROW(two_sided_z(1), Error);
}

TEST(NormalTest, LogisticInvertsLogit) {
  for (double p : {1e-12, 0.3, 0.5, 0.999}) EXPECT_NEAR(logistic(logit(p)) / p, 1, 1e-12);
}

}  // namespace
}  // namespace palimpsest::stat
