#include "palimpsest/metric/internal/top_k_accuracy.h"

#include <utility>

#include "palimpsest/metric/internal/tokens.h"
#include "palimpsest/stat/mean_stat.h"

namespace palimpsest::metric {

TopKAccuracy::TopKAccuracy(TopKAccuracyOptions options) : options_(std::move(options)) {}

stat::AnyStat TopKAccuracy::zero() const {
  return stat::MeanStat();
}

stat::AnyStat TopKAccuracy::evaluate_batch(const Batch& batch) const {
  const TokenOptions tokens{.target_key = options_.target_key, .pred_key = options_.pred_key};
  return Tokens(batch, tokens, TargetKind::kClass).mean(false, [this](const Token& token) {
    return in_top_k(token.logits, token.target, options_.k);
  });
}

MetricInputs TopKAccuracy::inputs() const {
  return {.example_keys = {options_.target_key}, .prediction_keys = {options_.pred_key}};
}

}  // namespace palimpsest::metric
