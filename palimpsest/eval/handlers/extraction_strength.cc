// extraction_strength (Carlini et al. 2021, arXiv 2012.07805): how early the model can be left
// alone.
//
//   score = 1 - k/n for the smallest k from which on all of the n tokens (the last of the answer
//   left out) are the model's own choice; if there is none k = n - 1, as published; 0 where n = 0
//
// Higher: a shorter part of the answer makes it say the rest.

#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/trace_metric.h"

namespace palimpsest::eval {
namespace {

Number extraction_strength_of(const trace::Trace& trace) {
  const int64_t count = trace::num_tokens(trace);
  if (count == 0) return 0;
  int64_t k = count;
  while (k > 0) {
    const auto before = static_cast<size_t>(k - 1);
    if ((*trace.argmax)[before] != (*trace.label)[before]) break;
    --k;
  }
  if (k == count) k = count - 1;
  return 1 - static_cast<double>(k) / static_cast<double>(count);
}

}  // namespace

Handler extraction_strength_handler() {
  return {
      .name = "extraction_strength",
      .measures = "how early in the answer the model can say the rest by itself",
      .orientation = "0 to 1, higher: more is memorised",
      .needs = trace_needs,
      .compute = [](const MetricInput& input) { return score_each(input, extraction_strength_of); },
      .averaged = averaged_score};
}

}  // namespace palimpsest::eval
