#include "palimpsest/base/internal/vector_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace palimpsest {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

double relative_error(float y) {
  return std::fabs(static_cast<double>(fast_exp(y)) / std::exp(static_cast<double>(y)) - 1);
}

// The polynomial's 3e-9 is nothing beside the rounding of its last steps: about one ulp.
constexpr double kError = 1.3e-7;

TEST(FastExpTest, WithinAnUlpOverItsRange) {
  for (int i = -870000; i <= 870000; ++i) {
    const float y = static_cast<float>(i) * 1e-4F;
    ASSERT_LT(relative_error(y), kError) << y;
  }
}

// Where n changes, |r| is largest.
TEST(FastExpTest, AroundTheSeams) {
  for (int n = -125; n <= 125; ++n) {
    const auto seam = static_cast<float>((n + 0.5) * std::log(2.0));
    float below = seam;
    float above = seam;
    for (int i = 0; i < 50; ++i) {
      below = std::nextafter(below, -kInfinity);
      above = std::nextafter(above, kInfinity);
      ASSERT_LT(relative_error(below), kError) << below;
      ASSERT_LT(relative_error(above), kError) << above;
    }
  }
}

TEST(FastExpTest, ZeroIsOne) {
  EXPECT_EQ(fast_exp(0.0F), 1);
  EXPECT_EQ(fast_exp(-0.0F), 1);
  EXPECT_EQ(fast_exp(1e-30F), 1);
}

TEST(FastExpTest, EndsOfItsRange) {
  EXPECT_LT(relative_error(-87.0F), kError);
  EXPECT_LT(relative_error(87.0F), kError);
}

TEST(FastExpTest, NanStaysNan) {
  EXPECT_TRUE(std::isnan(fast_exp(kNan)));
}

TEST(ClampToTest, IntoTheInterval) {
  EXPECT_EQ(clamp_to(0.5F, -1, 2), 0.5F);
  EXPECT_EQ(clamp_to(-3, -1, 2), -1);
  EXPECT_EQ(clamp_to(7, -1, 2), 2);
  EXPECT_EQ(clamp_to(-1, -1, 2), -1);
  EXPECT_EQ(clamp_to(2, -1, 2), 2);
  EXPECT_EQ(clamp_to(-kInfinity, -1, 2), -1);
  EXPECT_EQ(clamp_to(kInfinity, -1, 2), 2);
}

TEST(ClampToTest, NanStaysNan) {
  EXPECT_TRUE(std::isnan(clamp_to(kNan, -1, 2)));
}

}  // namespace
}  // namespace palimpsest
