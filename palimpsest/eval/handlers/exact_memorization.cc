// exact_memorization (Tirumala et al. 2022, arXiv 2205.10770): the share of the answer's tokens,
// the last one left out, that the model would choose itself when it is shown what stands before
// them. Undefined without such a token.
//
// Higher: more is memorised.

#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/trace_metric.h"

namespace palimpsest::eval {
namespace {

Number exact_memorization_of(const trace::Trace& trace) {
  const int64_t count = trace::num_tokens(trace);
  if (count == 0) return std::nullopt;
  int64_t right = 0;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    right += (*trace.argmax)[i] == (*trace.label)[i] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(count);
}

}  // namespace

Handler exact_memorization_handler() {
  return {
      .name = "exact_memorization",
      .measures = "share of the answer's tokens that the model would choose itself",
      .orientation = "0 to 1, higher: more is memorised",
      .needs = trace_needs,
      .compute = [](const MetricInput& input) { return score_each(input, exact_memorization_of); },
      .averaged = averaged_score};
}

}  // namespace palimpsest::eval
