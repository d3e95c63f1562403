#include "palimpsest/metric/internal/class_metrics.h"

#include <fmt/format.h>

#include <utility>

#include "palimpsest/metric/internal/tokens.h"

namespace palimpsest::metric {
namespace {

Tokens classes_of(const Batch& batch, const auto& metric) {
  return {
      batch, {.target_key = metric.target_key, .pred_key = metric.pred_key}, TargetKind::kClass};
}

}  // namespace

stat::MeanStat CrossEntropyLoss::evaluate(const Batch& batch) const {
  return classes_of(batch, *this).mean(false, [](const Token& token) {
    return token_loss(token.logits, token.target);
  });
}

stat::MeanStat Accuracy::evaluate(const Batch& batch) const {
  return classes_of(batch, *this).mean(false, [](const Token& token) {
    return argmax(token.logits) == token.target;
  });
}

stat::MeanStat TopKAccuracy::evaluate(const Batch& batch) const {
  return classes_of(batch, *this).mean(false, [this](const Token& token) {
    return in_top_k(token.logits, token.target, k);
  });
}

void ConfusionMatrix::require_valid() const {
  if (num_classes >= 1 && num_classes <= kMaxClasses) return;
  throw Error({.what = fmt::format("num_classes is {}", num_classes),
               .expected = fmt::format("1 … {}", kMaxClasses)});
}

stat::SumStat ConfusionMatrix::zero() const {
  return stat::SumStat::make(Array::zeros({num_classes, num_classes}));
}

stat::SumStat ConfusionMatrix::evaluate(const Batch& batch) const {
  Tokens tokens = classes_of(batch, *this);
  if (tokens.num_classes() != num_classes) {
    throw Error({.what = "num_classes is not the number of logits",
                 .expected = fmt::format("{}", tokens.num_classes()),
                 .found = fmt::format("{}", num_classes)});
  }
  Array counts = Array::zeros({num_classes, num_classes});
  tokens.for_each([&](const Token& token) {
    const int64_t entry = token.target * num_classes + argmax(token.logits);
    counts.values()[static_cast<size_t>(entry)] += 1;
  });
  return stat::SumStat::make(std::move(counts));
}

}  // namespace palimpsest::metric
