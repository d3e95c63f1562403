#include "palimpsest/metric/internal/cross_entropy_loss.h"

#include <utility>

#include "palimpsest/metric/internal/tokens.h"
#include "palimpsest/stat/mean_stat.h"

namespace palimpsest::metric {

CrossEntropyLoss::CrossEntropyLoss(CrossEntropyLossOptions options)
    : options_(std::move(options)) {}

stat::AnyStat CrossEntropyLoss::zero() const {
  return stat::MeanStat();
}

stat::AnyStat CrossEntropyLoss::evaluate_batch(const Batch& batch) const {
  const TokenOptions tokens{.target_key = options_.target_key, .pred_key = options_.pred_key};
  return Tokens(batch, tokens, TargetKind::kClass).mean(false, [](const Token& token) {
    return token_loss(token.logits, token.target);
  });
}

MetricInputs CrossEntropyLoss::inputs() const {
  return {.example_keys = {options_.target_key}, .prediction_keys = {options_.pred_key}};
}

}  // namespace palimpsest::metric
