// The share of examples for which the greatest logit (of equal ones, the first) is that of the
// target. The target is one class, the prediction is logits [V].
//
//   y = 2, logits = {0, 0, 1}:  accum 1, weight 1
#pragma once

#include <string>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

struct AccuracyOptions {
  std::string target_key = "y";
  std::string pred_key = {};  // empty: the single prediction
};

class Accuracy final : public BatchMetric {
 public:
  explicit Accuracy(AccuracyOptions options = {});

  stat::AnyStat zero() const override;
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;

 private:
  AccuracyOptions options_;
};

}  // namespace palimpsest::metric
