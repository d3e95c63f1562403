// Whether the intervals of composites cover, by simulation: see composite_calibration.h. The limits
// are those of single AUCs; docs/calibration.md has the numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/stat/internal/normal.h"
#include "tests/eval/composite_calibration.h"

namespace palimpsest::eval {
namespace {

constexpr int64_t kRepetitions = 4000;

// What chance explains beyond the limit in one of the cells, at 5% over all of them.
double tolerance(double limit, size_t cells) {
  return stat::normal_quantile(1 - 0.05 / static_cast<double>(cells)) *
         std::sqrt(limit * (1 - limit) / static_cast<double>(kRepetitions));
}

TEST(CompositeSlowTest, IntervalsCover) {
  const std::vector<CompositeCase> cases = composite_cases();
  for (const CompositeCase& setting : cases) {
    const double coverage = composite_coverage(setting, kRepetitions);
    EXPECT_GE(coverage, 0.925 - tolerance(0.925, cases.size())) << setting.name;
    EXPECT_LE(coverage, 0.975 + tolerance(0.975, cases.size())) << setting.name;
  }
}

}  // namespace
}  // namespace palimpsest::eval
