// The metrics of a classification: the target of an example is one class, the prediction is logits
// [V]. Each is a definition for MetricOf (metric_of.h).
#pragma once

#include <cstdint>
#include <string>

#include "palimpsest/metric/metric.h"
#include "palimpsest/stat/mean_stat.h"
#include "palimpsest/stat/sum_stat.h"

namespace palimpsest::metric {

// The cross-entropy: -log softmax(logits)[target], in natural logarithm, averaged over the
// examples.
//
//   y = 1, logits = {1.2, 0.4}:  accum 1.1711007, weight 1
struct CrossEntropyLoss {
  std::string target_key = "y";
  std::string pred_key = {};  // empty: the single prediction

  stat::MeanStat evaluate(const Batch& batch) const;
};

// The share of examples for which the greatest logit (of equal ones, the first) is that of the
// target.
//
//   y = 2, logits = {0, 0, 1}:  accum 1, weight 1
struct Accuracy {
  std::string target_key = "y";
  std::string pred_key = {};  // empty: the single prediction

  stat::MeanStat evaluate(const Batch& batch) const;
};

// The share of examples whose target is among the k greatest logits; equal logits are ordered by
// their index. It is 0 for k < 1 and 1 for k >= V.
//
//   k = 2, y = 2, logits = {0, 0.5, 0.2}:  accum 1, weight 1
struct TopKAccuracy {
  int64_t k = 1;
  std::string target_key = "y";
  std::string pred_key = {};  // empty: the single prediction

  stat::MeanStat evaluate(const Batch& batch) const;
};

// The confusion matrix: entry [i, j] counts the examples with target i whose greatest logit (of
// equal ones, the first) is j. The sum of the diagonal divided by the total is the accuracy.
//
//   num_classes = 3, y = 2, logits = {0, 1, 0}:  accum {{0, 0, 0}, {0, 0, 0}, {0, 1, 0}}
struct ConfusionMatrix {
  // More classes would need over half a gibibyte.
  static constexpr int64_t kMaxClasses = 8192;

  int64_t num_classes = 0;  // 1 … kMaxClasses; the number of logits
  std::string target_key = "y";
  std::string pred_key = {};  // empty: the single prediction

  void require_valid() const;
  stat::SumStat zero() const;
  stat::SumStat evaluate(const Batch& batch) const;
};

}  // namespace palimpsest::metric
