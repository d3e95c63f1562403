#include "palimpsest/stat/interval.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {

Interval cut_at(const Interval& interval, const Interval& range) {
  return {std::max(interval.low, range.low), std::min(interval.high, range.high)};
}

void require_confidence(double confidence) {
  if (confidence > 0 && confidence < 1) return;
  throw Error({.what = fmt::format("the confidence level {} is out of range", confidence),
               .expected = "a number between 0 and 1, such as 0.95"});
}

}  // namespace palimpsest::stat
