// The cross-entropy of a classification: -log softmax(logits)[target], in natural logarithm,
// averaged over the examples. The target is one class, the prediction is logits [V].
//
//   y = 1, logits = {1.2, 0.4}:  accum 1.1711007, weight 1
#pragma once

#include <string>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

struct CrossEntropyLossOptions {
  std::string target_key = "y";
  std::string pred_key = {};  // empty: the single prediction
};

class CrossEntropyLoss final : public BatchMetric {
 public:
  explicit CrossEntropyLoss(CrossEntropyLossOptions options = {});

  stat::AnyStat zero() const override;
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;

 private:
  CrossEntropyLossOptions options_;
};

}  // namespace palimpsest::metric
