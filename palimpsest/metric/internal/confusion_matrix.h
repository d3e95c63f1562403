// The confusion matrix: entry [i, j] counts the examples with target i whose greatest logit (of
// equal ones, the first) is j. The target is one class, the prediction is logits [num_classes]. The
// sum of the diagonal divided by the total is the accuracy.
//
//   num_classes = 3, y = 2, logits = {0, 1, 0}:  accum {{0, 0, 0}, {0, 0, 0}, {0, 1, 0}}
#pragma once

#include <cstdint>
#include <string>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

struct ConfusionMatrixOptions {
  int64_t num_classes = 0;  // 1 … ConfusionMatrix::kMaxClasses
  std::string target_key = "y";
  std::string pred_key = {};  // empty: the single prediction
};

class ConfusionMatrix final : public BatchMetric {
 public:
  // More classes would need over half a gibibyte.
  static constexpr int64_t kMaxClasses = 8192;

  // Throws Error if num_classes is out of range.
  explicit ConfusionMatrix(ConfusionMatrixOptions options);

  stat::AnyStat zero() const override;
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;

 private:
  ConfusionMatrixOptions options_;
};

}  // namespace palimpsest::metric
