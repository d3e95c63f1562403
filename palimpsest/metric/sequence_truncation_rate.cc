#include "palimpsest/metric/internal/sequence_truncation_rate.h"

#include <algorithm>
#include <utility>

#include "palimpsest/metric/internal/targets.h"
#include "palimpsest/stat/mean_stat.h"

namespace palimpsest::metric {

SequenceTruncationRate::SequenceTruncationRate(SequenceTruncationRateOptions options)
    : options_(std::move(options)) {}

stat::AnyStat SequenceTruncationRate::zero() const {
  return stat::MeanStat();
}

stat::AnyStat SequenceTruncationRate::evaluate_batch(const Batch& batch) const {
  Targets targets(batch, options_.target_key, TargetKind::kSequence);
  double truncated = 0;
  double sequences = 0;
  for (int64_t example : batch.kept()) {
    const auto sequence = targets.of(example);
    if (count_unmasked(sequence, options_.masked_target_values) == 0) continue;
    sequences += 1;
    const bool ended =
        std::find(sequence.begin(), sequence.end(), options_.eos_target_value) != sequence.end();
    if (!ended) truncated += 1;
  }
  return stat::MeanStat::make(truncated, sequences);
}

MetricInputs SequenceTruncationRate::inputs() const {
  return {.example_keys = {options_.target_key}, .prediction_keys = {}};
}

}  // namespace palimpsest::metric
