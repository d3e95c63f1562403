// probability: how likely the model finds each answer, length taken out.
//
//   prob = exp(-avg_loss), avg_loss as in trace.h; agg_value is the mean over the examples, each
//   the mean over its alternative answers
//
// Higher: better known.

#include <cmath>

#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/trace_metric.h"

namespace palimpsest::eval {
namespace {

MetricResult compute_probability(const MetricInput& input) {
  IndexedValues values;
  for (const trace::Trace& trace : *input.traces.at(kOnlyData)) {
    const Number loss = trace::avg_loss(trace);
    const Number prob = loss ? Number(std::exp(-*loss)) : std::nullopt;
    values.add(trace.index, {{"prob", prob}, {"avg_loss", loss}});
  }
  MetricResult result{.value_by_index = values.take()};
  set_mean(result, column(result, "prob", input.setting.name));
  return result;
}

}  // namespace

Handler probability_handler() {
  return {.name = "probability",
          .measures = "probability of the answers, normalised by their length",
          .orientation = "0 to 1, higher: better known",
          .needs = trace_needs,
          .compute = compute_probability,
          .averaged = [](const MetricSetting&) { return AveragedField{.field = "prob"}; }};
}

}  // namespace palimpsest::eval
