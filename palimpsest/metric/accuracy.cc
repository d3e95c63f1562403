#include "palimpsest/metric/accuracy.h"

#include <utility>

#include "palimpsest/metric/tokens.h"
#include "palimpsest/stat/mean_stat.h"

namespace palimpsest {

Accuracy::Accuracy(AccuracyOptions options) : options_(std::move(options)) {}

AnyStat Accuracy::zero() const {
  return MeanStat();
}

AnyStat Accuracy::evaluate_batch(const Batch& batch) const {
  const TokenOptions tokens{.target_key = options_.target_key, .pred_key = options_.pred_key};
  return Tokens(batch, tokens, TargetKind::kClass).mean(false, [](const Token& token) {
    return argmax(token.logits) == token.target;
  });
}

MetricInputs Accuracy::inputs() const {
  return {.example_keys = {options_.target_key}, .prediction_keys = {options_.pred_key}};
}

}  // namespace palimpsest
