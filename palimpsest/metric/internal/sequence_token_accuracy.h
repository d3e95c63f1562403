// The share of a sequence's tokens, those that are masked left out, whose greatest logit (the first
// of equal ones) is the target's; of all sequences together or for each position. Target: [T];
// prediction: logits [T, V].
//
//   y = {1, 2, 2, 1, 3, 0}, argmax of the logits = {1, 0, 2, 1, 3, 0}:  accum 4, weight 5
//   with logits_mask {0, 0, 0, -infinity} class 3 cannot be predicted:  accum 3, weight 5
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

struct SequenceTokenAccuracyOptions {
  std::string target_key = "y";
  std::string pred_key = {};                        // empty: the single prediction
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count: padding
  std::vector<double> logits_mask = {};  // [V], added to the logits: -infinity rules a class out
  bool per_position = false;             // keep a value for each position, [T]
};

class SequenceTokenAccuracy final : public BatchMetric {
 public:
  explicit SequenceTokenAccuracy(SequenceTokenAccuracyOptions options = {});

  stat::AnyStat zero() const override;
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;
  bool has_fixed_shape() const override { return !options_.per_position; }

 private:
  SequenceTokenAccuracyOptions options_;
};

}  // namespace palimpsest::metric
