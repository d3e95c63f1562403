// Two metrics over the same examples: one for the right answers and one for the wrong answers.
#pragma once

#include <string_view>

#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/metric_result.h"

namespace palimpsest::eval {

struct PairedResults {
  const MetricResult* correct = nullptr;
  const MetricResult* wrong = nullptr;
};

// The results with these access keys. Throws Error unless both have the same examples in the same
// order.
PairedResults paired_results(const MetricInput& input, std::string_view correct,
                             std::string_view wrong);

}  // namespace palimpsest::eval
