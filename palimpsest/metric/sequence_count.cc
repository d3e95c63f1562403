#include "palimpsest/metric/internal/sequence_count.h"

#include <utility>

#include "palimpsest/metric/internal/targets.h"
#include "palimpsest/stat/sum_stat.h"

namespace palimpsest::metric {

SequenceCount::SequenceCount(SequenceCountOptions options) : options_(std::move(options)) {}

stat::AnyStat SequenceCount::zero() const {
  return stat::SumStat();
}

stat::AnyStat SequenceCount::evaluate_batch(const Batch& batch) const {
  Targets targets(batch, options_.target_key, TargetKind::kSequence);
  double sequences = 0;
  for (int64_t example : batch.kept()) {
    if (count_unmasked(targets.of(example), options_.masked_target_values) > 0) sequences += 1;
  }
  return stat::SumStat::make(sequences);
}

MetricInputs SequenceCount::inputs() const {
  return {.example_keys = {options_.target_key}, .prediction_keys = {}};
}

}  // namespace palimpsest::metric
