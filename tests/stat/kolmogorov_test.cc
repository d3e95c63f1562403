#include "palimpsest/stat/internal/kolmogorov.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/error.h"
#include "tests/stat/golden_cases.h"

namespace palimpsest::stat {
namespace {

TEST(KolmogorovTest, OneDrawIsUniform) {
  // D_1 = max(U, 1 - U).
  EXPECT_DOUBLE_EQ(kolmogorov_survival(1, 0.75), 0.5);
  EXPECT_EQ(kolmogorov_survival(1, 0.5), 1);
  EXPECT_EQ(kolmogorov_survival(1, 1), 0);
}

TEST(KolmogorovTest, TwoDrawsInClosedForm) {
  // P(D_2 < d) = 2 (2d - ½)² for ¼ <= d <= ½, 1 - 2 (1 - d)² above.
  EXPECT_NEAR(kolmogorov_survival(2, 0.4), 1 - 2 * 0.3 * 0.3, 1e-15);
  EXPECT_NEAR(kolmogorov_survival(2, 0.8), 2 * 0.2 * 0.2, 1e-15);
}

TEST(KolmogorovTest, EndsOfTheRange) {
  for (int64_t n : {1, 7, 140, 141, 100'000}) {
    EXPECT_EQ(kolmogorov_survival(n, 0.5 / static_cast<double>(n)), 1);
    EXPECT_EQ(kolmogorov_survival(n, -3), 1);
    EXPECT_EQ(kolmogorov_survival(n, 1), 0);
    EXPECT_EQ(kolmogorov_survival(n, INFINITY), 0);
  }
}

TEST(KolmogorovTest, FallsWithDistanceAcrossTheMethods) {
  // Not where one approximation hands over to another, which costs up to 1e-6.
  for (int64_t n : {2, 10, 50, 140, 150, 3000}) {
    double last = 1;
    for (int step = 1; step <= 400; ++step) {
      const double survival = kolmogorov_survival(n, step / 400.0);
      EXPECT_LE(survival, last * (1 + 2e-6)) << n << ' ' << step;
      EXPECT_GE(survival, 0);
      last = survival;
    }
  }
}

TEST(KolmogorovTest, LargeSamplesApproachTheLimit) {
  // Kolmogorov's limit 2 Σ (-1)^(k-1) e^(-2k²z²) at z = 1; the difference is about z²·p·2/3√n.
  const double limit = 2 * (std::exp(-2) - std::exp(-8) + std::exp(-18));
  EXPECT_NEAR(kolmogorov_survival(1'000'000, 1e-3), limit, 3e-4);
  EXPECT_NEAR(kolmogorov_survival(100'000'000, 1e-4), limit, 3e-5);
}

TEST(KolmogorovTest, RefusesWhatIsNoSample) {
  EXPECT_THROW(kolmogorov_survival(0, 0.5), Error);
  EXPECT_THROW(kolmogorov_survival(-1, 0.5), Error);
  EXPECT_THROW(kolmogorov_survival(5, std::nan("")), Error);
}

TEST(KolmogorovGoldenTest, EqualsScipy) {
  for (const Json& item : golden_cases("kolmogorov")) {
    const double expected = number(item["survival"]);
    // SciPy's own error: about 1e-12 in the sum of Smirnov for the largest n.
    EXPECT_NEAR(kolmogorov_survival(item["n"].get<int64_t>(), number(item["d"])), expected,
                1e-11 * expected)
        << item;
  }
}

}  // namespace
}  // namespace palimpsest::stat
