#include "palimpsest/metric/sequence_count.h"

#include <utility>

#include "palimpsest/metric/targets.h"
#include "palimpsest/stat/sum_stat.h"

namespace palimpsest {

SequenceCount::SequenceCount(SequenceCountOptions options) : options_(std::move(options)) {}

AnyStat SequenceCount::zero() const {
  return SumStat();
}

AnyStat SequenceCount::evaluate_batch(const Batch& batch) const {
  Targets targets(batch, options_.target_key, TargetKind::kSequence);
  double sequences = 0;
  for (int64_t example : batch.kept()) {
    if (count_unmasked(targets.of(example), options_.masked_target_values) > 0) sequences += 1;
  }
  return SumStat::make(sequences);
}

MetricInputs SequenceCount::inputs() const {
  return {.example_keys = {options_.target_key}, .prediction_keys = {}};
}

}  // namespace palimpsest
