// A quick look at what composite_slow_test.cc looks at closely: enough repetitions to catch an
// interval that forgets the clusters, or a truth that is computed wrongly.
#include <gtest/gtest.h>

#include "tests/eval/composite_calibration.h"

namespace palimpsest::eval {
namespace {

TEST(CompositeTest, IntervalsCover) {
  constexpr int64_t kQuickRepetitions = 300;
  for (const CompositeCase& setting : composite_cases()) {
    const double coverage = composite_coverage(setting, kQuickRepetitions);
    EXPECT_GE(coverage, 0.86) << setting.name;
    // Everything would be covered by an interval that is far too wide.
    EXPECT_LE(coverage, 0.999) << setting.name;
  }
}

}  // namespace
}  // namespace palimpsest::eval
