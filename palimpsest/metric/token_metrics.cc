#include "palimpsest/metric/internal/token_metrics.h"

#include "palimpsest/metric/internal/tokens.h"

namespace palimpsest::metric {
namespace {

Tokens tokens_of(const Batch& batch, const auto& metric) {
  TokenOptions options{.target_key = metric.target_key,
                       .pred_key = metric.pred_key,
                       .masked_target_values = metric.masked_target_values};
  if constexpr (requires { metric.logits_mask; }) options.logits_mask = metric.logits_mask;
  return {batch, std::move(options), TargetKind::kSequence};
}

}  // namespace

stat::MeanStat SequenceTokenCrossEntropyLoss::evaluate(const Batch& batch) const {
  return tokens_of(batch, *this).mean(per_position, [](const Token& token) {
    return token_loss(token.logits, token.target);
  });
}

stat::MeanStat SequenceCrossEntropyLoss::evaluate(const Batch& batch) const {
  double loss = 0;
  double sequences = 0;
  int64_t last_seen = -1;
  tokens_of(batch, *this).for_each([&](const Token& token) {
    loss += token_loss(token.logits, token.target);
    if (token.example != last_seen) sequences += 1;
    last_seen = token.example;
  });
  return stat::MeanStat::make(loss, sequences);
}

stat::MeanStat SequenceTokenAccuracy::evaluate(const Batch& batch) const {
  return tokens_of(batch, *this).mean(per_position, [](const Token& token) {
    return argmax(token.logits) == token.target;
  });
}

stat::MeanStat SequenceTokenTopKAccuracy::evaluate(const Batch& batch) const {
  return tokens_of(batch, *this).mean(per_position, [this](const Token& token) {
    return in_top_k(token.logits, token.target, k);
  });
}

}  // namespace palimpsest::metric
