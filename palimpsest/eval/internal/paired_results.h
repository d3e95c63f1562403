// Two metrics over the same examples, side by side: the right answers and the wrong ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/metric_result.h"

namespace palimpsest::eval {

struct PairedResults {
  const MetricResult* correct = nullptr;
  const MetricResult* wrong = nullptr;
};

// The two that were computed under these access keys. Throws Error unless both are over the same
// examples in the same order.
PairedResults paired_results(const MetricInput& input, std::string_view correct,
                             std::string_view wrong);

}  // namespace palimpsest::eval
