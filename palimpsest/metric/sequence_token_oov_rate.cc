#include "palimpsest/metric/internal/sequence_token_oov_rate.h"

#include <utility>

#include "palimpsest/metric/internal/targets.h"
#include "palimpsest/stat/mean_stat.h"

namespace palimpsest::metric {

SequenceTokenOovRate::SequenceTokenOovRate(SequenceTokenOovRateOptions options)
    : options_(std::move(options)) {
  if (options_.oov_target_values.empty()) throw Error("oov_target_values is empty");
}

stat::AnyStat SequenceTokenOovRate::zero() const {
  return stat::MeanStat();
}

stat::AnyStat SequenceTokenOovRate::evaluate_batch(const Batch& batch) const {
  Targets targets(batch, options_.target_key, TargetKind::kSequence);
  Array oov = options_.per_position ? Array::zeros({targets.length()}) : Array(0.0);
  Array tokens = oov;
  for (int64_t example : batch.kept()) {
    const auto sequence = targets.of(example);
    for (size_t t = 0; t < sequence.size(); ++t) {
      if (contains(options_.masked_target_values, sequence[t])) continue;
      const size_t slot = options_.per_position ? t : 0;
      tokens.values()[slot] += 1;
      if (contains(options_.oov_target_values, sequence[t])) oov.values()[slot] += 1;
    }
  }
  return stat::MeanStat::make(std::move(oov), std::move(tokens));
}

MetricInputs SequenceTokenOovRate::inputs() const {
  return {.example_keys = {options_.target_key}, .prediction_keys = {}};
}

}  // namespace palimpsest::metric
