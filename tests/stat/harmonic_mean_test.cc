#include "palimpsest/stat/harmonic_mean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "palimpsest/base/error.h"
#include "tests/stat/golden_cases.h"

namespace palimpsest::stat {
namespace {

using Values = std::vector<double>;

TEST(HarmonicMeanTest, DocumentedExample) {
  EXPECT_DOUBLE_EQ(*harmonic_mean(Values{1, 4}), 1.6);
}

TEST(HarmonicMeanTest, ZeroMakesItZero) {
  EXPECT_EQ(harmonic_mean(Values{0, 2}), 0);
  EXPECT_EQ(harmonic_mean(Values{-0.0, 1e-300, 0}), 0);
}

TEST(HarmonicMeanTest, OfNothingIsUndefined) {
  EXPECT_EQ(harmonic_mean({}), std::nullopt);
}

TEST(HarmonicMeanTest, RefusesNegativeAndUndefinedValues) {
  for (double bad : Values{-1.0, -1e-300, std::nan(""), INFINITY, -INFINITY}) {
    EXPECT_THROW(harmonic_mean(Values{1, bad}), Error) << bad;
    EXPECT_THROW(harmonic_mean(Values{0, bad}), Error) << bad;
  }
}

TEST(HarmonicMeanGoldenTest, EqualsScipy) {
  for (const Json& item : golden_cases("hmean")) {
    const auto values = item["values"].get<Values>();
    SCOPED_TRACE(item["values"].dump());
    if (values.empty()) {
      EXPECT_EQ(harmonic_mean(values), std::nullopt);
    } else if (*std::min_element(values.begin(), values.end()) < 0) {
      // SciPy gives NaN with a warning.
      EXPECT_THROW(harmonic_mean(values), Error);
    } else {
      EXPECT_DOUBLE_EQ(*harmonic_mean(values), number(item["hmean"]));
    }
  }
}

}  // namespace
}  // namespace palimpsest::stat
