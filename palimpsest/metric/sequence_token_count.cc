#include "palimpsest/metric/internal/sequence_token_count.h"

#include <utility>

#include "palimpsest/metric/internal/targets.h"
#include "palimpsest/stat/sum_stat.h"

namespace palimpsest::metric {

SequenceTokenCount::SequenceTokenCount(SequenceTokenCountOptions options)
    : options_(std::move(options)) {}

stat::AnyStat SequenceTokenCount::zero() const {
  return stat::SumStat();
}

stat::AnyStat SequenceTokenCount::evaluate_batch(const Batch& batch) const {
  Targets targets(batch, options_.target_key, TargetKind::kSequence);
  double tokens = 0;
  for (int64_t example : batch.kept()) {
    tokens +=
        static_cast<double>(count_unmasked(targets.of(example), options_.masked_target_values));
  }
  return stat::SumStat::make(tokens);
}

MetricInputs SequenceTokenCount::inputs() const {
  return {.example_keys = {options_.target_key}, .prediction_keys = {}};
}

}  // namespace palimpsest::metric
