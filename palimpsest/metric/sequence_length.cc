#include "palimpsest/metric/internal/sequence_length.h"

#include <utility>

#include "palimpsest/metric/internal/targets.h"
#include "palimpsest/stat/mean_stat.h"

namespace palimpsest::metric {

SequenceLength::SequenceLength(SequenceLengthOptions options) : options_(std::move(options)) {}

stat::AnyStat SequenceLength::zero() const {
  return stat::MeanStat();
}

stat::AnyStat SequenceLength::evaluate_batch(const Batch& batch) const {
  Targets targets(batch, options_.target_key, TargetKind::kSequence);
  double tokens = 0;
  double sequences = 0;
  for (int64_t example : batch.kept()) {
    const int64_t length = count_unmasked(targets.of(example), options_.masked_target_values);
    tokens += static_cast<double>(length);
    if (length > 0) sequences += 1;
  }
  return stat::MeanStat::make(tokens, sequences);
}

MetricInputs SequenceLength::inputs() const {
  return {.example_keys = {options_.target_key}, .prediction_keys = {}};
}

}  // namespace palimpsest::metric
