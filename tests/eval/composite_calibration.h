// Do the intervals of numbers that are put together cover? Model utility (the harmonic mean of nine
// means over three files), truth ratios and privleak, of examples in clusters, from known truths.
// Used by composite_slow_test.cc, which holds the library to it, by composite_test.cc, which looks
// quickly, and by composite_table.cc, which prints a section of docs/calibration.md. Seeds are
// fixed, and the numbers do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::eval {

struct CompositeCase {
  std::string name;
  double truth = 0;
  std::function<std::optional<stat::Interval>(Random& random)> interval;
};

std::vector<CompositeCase> composite_cases();

// The share of repetitions whose 95% interval contains the truth. One without an interval is a
// miss.
double composite_coverage(const CompositeCase& setting, int64_t repetitions);

}  // namespace palimpsest::eval
