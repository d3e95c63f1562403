#include "palimpsest/metric/internal/sequence_cross_entropy_loss.h"

#include <utility>

#include "palimpsest/metric/internal/tokens.h"
#include "palimpsest/stat/mean_stat.h"

namespace palimpsest::metric {

SequenceCrossEntropyLoss::SequenceCrossEntropyLoss(SequenceCrossEntropyLossOptions options)
    : options_(std::move(options)) {}

stat::AnyStat SequenceCrossEntropyLoss::zero() const {
  return stat::MeanStat();
}

stat::AnyStat SequenceCrossEntropyLoss::evaluate_batch(const Batch& batch) const {
  const TokenOptions tokens{.target_key = options_.target_key,
                            .pred_key = options_.pred_key,
                            .masked_target_values = options_.masked_target_values};
  double loss = 0;
  double sequences = 0;
  int64_t last_seen = -1;
  Tokens(batch, tokens, TargetKind::kSequence).for_each([&](const Token& token) {
    loss += token_loss(token.logits, token.target);
    if (token.example != last_seen) sequences += 1;
    last_seen = token.example;
  });
  return stat::MeanStat::make(loss, sequences);
}

MetricInputs SequenceCrossEntropyLoss::inputs() const {
  return {.example_keys = {options_.target_key}, .prediction_keys = {options_.pred_key}};
}

}  // namespace palimpsest::metric
