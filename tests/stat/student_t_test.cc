#include "palimpsest/stat/internal/student_t.h"

#include <gtest/gtest.h>

#include "palimpsest/stat/internal/normal.h"
#include "tests/support/expect_error.h"

namespace palimpsest::stat {
namespace {

TEST(StudentTTest, KnownValues) {
  EXPECT_NEAR(two_sided_t(0.95, 9), 2.262157162798205, 1e-12);
  // One degree of freedom is Cauchy's distribution: tan(π(p - ½)).
  EXPECT_NEAR(student_t_quantile(0.75, 1), 1, 1e-14);
  EXPECT_NEAR(two_sided_t_p_value(1, 1), 0.5, 1e-15);
  EXPECT_NEAR(two_sided_t(0.97, 1e12), two_sided_z(0.97), 1e-9);
}

TEST(StudentTTest, QuantileAndPValueAreInverse) {
  for (double degrees : {1.0, 2.5, 8.0, 40.3}) {
    for (double confidence : {0.5, 0.9, 0.95, 0.999}) {
      const double t = two_sided_t(confidence, degrees);
      EXPECT_NEAR(two_sided_t_p_value(t, degrees), 1 - confidence, 1e-13);
      EXPECT_EQ(two_sided_t_p_value(-t, degrees), two_sided_t_p_value(t, degrees));
      EXPECT_NEAR(student_t_quantile((1 + confidence) / 2, degrees), t, 1e-11 * t);
    }
  }
}

TEST(StudentTTest, RefusesWhatHasNoAnswer) {
  expect_contains(error_of([] { student_t_quantile(0.5, 0); }), "degrees of freedom");
  expect_contains(error_of([] { student_t_quantile(1, 3); }), "probability");
  expect_contains(error_of([] { two_sided_t(1.5, 3); }), "confidence");
}

}  // namespace
}  // namespace palimpsest::stat
