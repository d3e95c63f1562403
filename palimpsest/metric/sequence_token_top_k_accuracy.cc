#include "palimpsest/metric/internal/sequence_token_top_k_accuracy.h"

#include <utility>

#include "palimpsest/metric/internal/tokens.h"
#include "palimpsest/stat/mean_stat.h"

namespace palimpsest::metric {

SequenceTokenTopKAccuracy::SequenceTokenTopKAccuracy(SequenceTokenTopKAccuracyOptions options)
    : options_(std::move(options)) {}

stat::AnyStat SequenceTokenTopKAccuracy::zero() const {
  return stat::MeanStat();
}

stat::AnyStat SequenceTokenTopKAccuracy::evaluate_batch(const Batch& batch) const {
  const TokenOptions tokens{.target_key = options_.target_key,
                            .pred_key = options_.pred_key,
                            .masked_target_values = options_.masked_target_values,
                            .logits_mask = options_.logits_mask};
  return Tokens(batch, tokens, TargetKind::kSequence)
      .mean(options_.per_position, [this](const Token& token) {
        return in_top_k(token.logits, token.target, options_.k);
      });
}

MetricInputs SequenceTokenTopKAccuracy::inputs() const {
  return {.example_keys = {options_.target_key}, .prediction_keys = {options_.pred_key}};
}

}  // namespace palimpsest::metric
