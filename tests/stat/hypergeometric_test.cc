#include "palimpsest/stat/internal/hypergeometric.h"

#include <gtest/gtest.h>

#include <cmath>

namespace palimpsest::stat {
namespace {

TEST(HypergeometricTest, WorkedExample) {
  EXPECT_NEAR(HypergeometricCdf(10)(1, {.population = 10, .marked = 4, .drawn = 3}), 2.0 / 3,
              1e-14);
}

TEST(HypergeometricTest, EndsOfTheSupport) {
  const HypergeometricCdf cdf(10);
  // At least two of eight drawn are among the four marked.
  const HypergeometricDraw draw{.population = 10, .marked = 4, .drawn = 8};
  EXPECT_EQ(cdf(1, draw), 0);
  EXPECT_NEAR(cdf(2, draw), 6.0 / 45, 1e-14);
  EXPECT_EQ(cdf(4, draw), 1);
  EXPECT_EQ(cdf(7, draw), 1);
  EXPECT_EQ(cdf(0, {.population = 0, .marked = 0, .drawn = 0}), 1);
  EXPECT_EQ(cdf(0, {.population = 10, .marked = 0, .drawn = 5}), 1);
}

TEST(HypergeometricTest, TinyProbabilitiesKeepTheirSize) {
  // No marked one among 500 of 1000, half of them marked: 500!²/1000! = 1/C(1000, 500).
  const double p = HypergeometricCdf(1000)(0, {.population = 1000, .marked = 500, .drawn = 500});
  EXPECT_NEAR(std::log(p), 2 * std::lgamma(501) - std::lgamma(1001), 1e-9);
}

}  // namespace
}  // namespace palimpsest::stat
