#include "palimpsest/metric/internal/confusion_matrix.h"

#include <fmt/format.h>

#include <utility>

#include "palimpsest/metric/internal/tokens.h"
#include "palimpsest/stat/sum_stat.h"

namespace palimpsest::metric {

ConfusionMatrix::ConfusionMatrix(ConfusionMatrixOptions options) : options_(std::move(options)) {
  if (options_.num_classes >= 1 && options_.num_classes <= kMaxClasses) return;
  throw Error({.what = fmt::format("num_classes is {}", options_.num_classes),
               .expected = fmt::format("1 … {}", kMaxClasses)});
}

stat::AnyStat ConfusionMatrix::zero() const {
  return stat::SumStat::make(Array::zeros({options_.num_classes, options_.num_classes}));
}

stat::AnyStat ConfusionMatrix::evaluate_batch(const Batch& batch) const {
  const TokenOptions options{.target_key = options_.target_key, .pred_key = options_.pred_key};
  Tokens tokens(batch, options, TargetKind::kClass);
  if (tokens.num_classes() != options_.num_classes) {
    throw Error({.what = "num_classes is not the number of logits",
                 .expected = fmt::format("{}", tokens.num_classes()),
                 .found = fmt::format("{}", options_.num_classes)});
  }
  Array counts = Array::zeros({options_.num_classes, options_.num_classes});
  tokens.for_each([&](const Token& token) {
    const int64_t entry = token.target * options_.num_classes + argmax(token.logits);
    counts.values()[static_cast<size_t>(entry)] += 1;
  });
  return stat::SumStat::make(std::move(counts));
}

MetricInputs ConfusionMatrix::inputs() const {
  return {.example_keys = {options_.target_key}, .prediction_keys = {options_.pred_key}};
}

}  // namespace palimpsest::metric
