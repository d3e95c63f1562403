// Evaluates a model with named metrics. The model is any function from a batch of examples to
// predictions, and the batches may come from any range. The result is one statistic per metric.
// There is one pass over the data, with one batch in memory at a time.
//
//   NamedMetrics metrics = {{"accuracy", make_metric("accuracy")}};
//   NamedStats stats = evaluate_model(predict, batches, metrics);
//   stats[0].second.result();   // 0.75
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/metric/metric.h"
#include "palimpsest/stat/stat_file.h"

namespace palimpsest::metric {

using NamedMetrics = std::vector<std::pair<std::string, MetricPtr>>;

// The examples of one batch. If there is a mask, examples whose entry is 0 are dropped, as for
// padding.
struct EvaluationBatch {
  EvaluationBatch(Features batch_examples,  // NOLINT: a batch without a mask is its features
                  std::optional<Mask> batch_mask = std::nullopt)
      : examples(std::move(batch_examples)), mask(batch_mask) {}

  Features examples;
  std::optional<Mask> mask;
};

// The statistic of no examples, for every metric.
stat::NamedStats zero_stats(const NamedMetrics& metrics);

// Adds one evaluated batch to `stats`, which has one entry per metric. If a metric rejects the
// batch, throws Error and leaves `stats` unchanged; the message begins with the metric's name.
void add_batch(const NamedMetrics& metrics, const EvaluationBatch& batch,
               const Prediction& prediction, stat::NamedStats& stats);

// `predict` takes the features of a batch. It returns a Prediction or something that converts to
// one: an Array, or a TensorView of a buffer that stays valid until the next call.
template <class Predict, std::ranges::input_range Batches>
requires std::convertible_to<std::ranges::range_reference_t<Batches>, EvaluationBatch>
    stat::NamedStats evaluate_model(Predict&& predict, Batches&& batches,
                                    const NamedMetrics& metrics) {
  stat::NamedStats stats = zero_stats(metrics);
  for (auto&& element : batches) {
    const EvaluationBatch batch = element;
    const auto output = predict(batch.examples);
    add_batch(metrics, batch, Prediction(output), stats);
  }
  return stats;
}

}  // namespace palimpsest::metric
