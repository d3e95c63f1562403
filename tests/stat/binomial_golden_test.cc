// Intervals for a rate against SciPy and against beta quantiles in high precision.
#include <gtest/gtest.h>

#include "palimpsest/stat/binomial.h"
#include "tests/stat/golden_cases.h"

namespace palimpsest::stat {
namespace {

void expect_near(const Interval& found, const Json& expected, double relative, double absolute) {
  EXPECT_NEAR(found.low, number(expected[0]), relative * number(expected[0]) + absolute);
  EXPECT_NEAR(found.high, number(expected[1]), relative * number(expected[1]) + absolute);
}

TEST(BinomialGoldenTest, EqualsScipyAndExactQuantiles) {
  for (const Json& item : golden_cases("binomial")) {
    SCOPED_TRACE(item.dump());
    const auto k = item["k"].get<int64_t>();
    const auto n = item["n"].get<int64_t>();
    const double confidence = number(item["confidence"]);
    const Interval exact = clopper_pearson(k, n, confidence);
    expect_near(exact, item["clopper_pearson"], 1e-12, 0);
    // SciPy searches the root to 2e-12.
    expect_near(exact, item["clopper_pearson_scipy"], 1e-12, 4e-12);
    expect_near(wilson(k, n, confidence), item["wilson"], 1e-12, 1e-15);
    expect_near(jeffreys(k, n, confidence), item["jeffreys"], 1e-11, 0);
  }
}

}  // namespace
}  // namespace palimpsest::stat
