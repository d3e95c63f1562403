#include "palimpsest/metric/internal/target_metrics.h"

#include <algorithm>
#include <utility>

#include "palimpsest/metric/internal/targets.h"

namespace palimpsest::metric {
namespace {

// The number of tokens of each kept sequence.
std::vector<int64_t> lengths_of(const Batch& batch, const auto& metric) {
  Targets targets(batch, metric.target_key, TargetKind::kSequence);
  std::vector<int64_t> lengths;
  for (int64_t example : batch.kept()) {
    lengths.push_back(count_unmasked(targets.of(example), metric.masked_target_values));
  }
  return lengths;
}

}  // namespace

stat::SumStat SequenceTokenCount::evaluate(const Batch& batch) const {
  double tokens = 0;
  for (int64_t length : lengths_of(batch, *this)) tokens += static_cast<double>(length);
  return stat::SumStat::make(tokens);
}

stat::SumStat SequenceCount::evaluate(const Batch& batch) const {
  double sequences = 0;
  for (int64_t length : lengths_of(batch, *this)) sequences += length > 0 ? 1 : 0;
  return stat::SumStat::make(sequences);
}

stat::MeanStat SequenceTruncationRate::evaluate(const Batch& batch) const {
  Targets targets(batch, target_key, TargetKind::kSequence);
  double truncated = 0;
  double sequences = 0;
  for (int64_t example : batch.kept()) {
    const auto sequence = targets.of(example);
    if (count_unmasked(sequence, masked_target_values) == 0) continue;
    sequences += 1;
    const bool ended =
        std::find(sequence.begin(), sequence.end(), eos_target_value) != sequence.end();
    if (!ended) truncated += 1;
  }
  return stat::MeanStat::make(truncated, sequences);
}

void SequenceTokenOovRate::require_valid() const {
  if (oov_target_values.empty()) throw Error("oov_target_values is empty");
}

stat::MeanStat SequenceTokenOovRate::evaluate(const Batch& batch) const {
  Targets targets(batch, target_key, TargetKind::kSequence);
  Array oov = per_position ? Array::zeros({targets.length()}) : Array(0.0);
  Array tokens = oov;
  for (int64_t example : batch.kept()) {
    const auto sequence = targets.of(example);
    for (size_t t = 0; t < sequence.size(); ++t) {
      if (contains(masked_target_values, sequence[t])) continue;
      const size_t slot = per_position ? t : 0;
      tokens.values()[slot] += 1;
      if (contains(oov_target_values, sequence[t])) oov.values()[slot] += 1;
    }
  }
  return stat::MeanStat::make(std::move(oov), std::move(tokens));
}

stat::MeanStat SequenceLength::evaluate(const Batch& batch) const {
  double tokens = 0;
  double sequences = 0;
  for (int64_t length : lengths_of(batch, *this)) {
    tokens += static_cast<double>(length);
    if (length > 0) sequences += 1;
  }
  return stat::MeanStat::make(tokens, sequences);
}

}  // namespace palimpsest::metric
