#include "palimpsest/metric/internal/sequence_token_cross_entropy_loss.h"

#include <utility>

#include "palimpsest/metric/internal/tokens.h"
#include "palimpsest/stat/mean_stat.h"

namespace palimpsest::metric {

SequenceTokenCrossEntropyLoss::SequenceTokenCrossEntropyLoss(
    SequenceTokenCrossEntropyLossOptions options)
    : options_(std::move(options)) {}

stat::AnyStat SequenceTokenCrossEntropyLoss::zero() const {
  return stat::MeanStat();
}

stat::AnyStat SequenceTokenCrossEntropyLoss::evaluate_batch(const Batch& batch) const {
  const TokenOptions tokens{.target_key = options_.target_key,
                            .pred_key = options_.pred_key,
                            .masked_target_values = options_.masked_target_values};
  return Tokens(batch, tokens, TargetKind::kSequence)
      .mean(options_.per_position,
            [](const Token& token) { return token_loss(token.logits, token.target); });
}

MetricInputs SequenceTokenCrossEntropyLoss::inputs() const {
  return {.example_keys = {options_.target_key}, .prediction_keys = {options_.pred_key}};
}

}  // namespace palimpsest::metric
