#include "palimpsest/eval/trace_metric.h"

namespace palimpsest::eval {

MetricNeeds trace_needs(const MetricSetting&) {
  return {.data = {kOnlyData}, .traces = true};
}

MetricResult score_each(const MetricInput& input,
                        const std::function<Number(const trace::Trace&)>& score) {
  IndexedValues values;
  for (const trace::Trace& trace : *input.traces.at(kOnlyData)) {
    values.add(trace.index, {{"score", score(trace)}});
  }
  MetricResult result{.value_by_index = values.take()};
  set_mean(result, column(result, "score", input.setting.name));
  return result;
}

AveragedField averaged_score(const MetricSetting&) {
  return {.field = "score"};
}

}  // namespace palimpsest::eval
