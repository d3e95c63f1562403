// The share of examples whose target is among the k greatest logits; equal logits are ordered by
// their index. It is 0 for k < 1 and 1 for k >= V. The target is one class, the prediction is
// logits [V].
//
//   k = 2, y = 2, logits = {0, 0.5, 0.2}:  accum 1, weight 1
#pragma once

#include <cstdint>
#include <string>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

struct TopKAccuracyOptions {
  int64_t k = 1;
  std::string target_key = "y";
  std::string pred_key = {};  // empty: the single prediction
};

class TopKAccuracy final : public BatchMetric {
 public:
  explicit TopKAccuracy(TopKAccuracyOptions options);

  stat::AnyStat zero() const override;
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;

 private:
  TopKAccuracyOptions options_;
};

}  // namespace palimpsest::metric
