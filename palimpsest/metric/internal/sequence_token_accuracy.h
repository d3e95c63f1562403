// The share of tokens for which the greatest logit (of equal ones, the first) is that of the
// target. Masked tokens are left out. It is computed over all sequences together, or per position.
// The target is [T], the prediction is logits [T, V].
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
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding
  std::vector<double> logits_mask = {};  // [V], added to the logits; -infinity excludes a class
  bool per_position = false;             // whether to keep one value per position, [T]
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
