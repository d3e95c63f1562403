#include "palimpsest/metric/internal/accuracy.h"

#include <utility>

#include "palimpsest/metric/internal/tokens.h"
#include "palimpsest/stat/mean_stat.h"

namespace palimpsest::metric {

Accuracy::Accuracy(AccuracyOptions options) : options_(std::move(options)) {}

stat::AnyStat Accuracy::zero() const {
  return stat::MeanStat();
}

stat::AnyStat Accuracy::evaluate_batch(const Batch& batch) const {
  const TokenOptions tokens{.target_key = options_.target_key, .pred_key = options_.pred_key};
  return Tokens(batch, tokens, TargetKind::kClass).mean(false, [](const Token& token) {
    return argmax(token.logits) == token.target;
  });
}

MetricInputs Accuracy::inputs() const {
  return {.example_keys = {options_.target_key}, .prediction_keys = {options_.pred_key}};
}

}  // namespace palimpsest::metric
