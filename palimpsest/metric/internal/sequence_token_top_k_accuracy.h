// The share of tokens whose target is among the k greatest logits; equal logits are ordered by
// their index. Masked tokens are left out. It is computed over all sequences together, or per
// position. It is 0 for k < 1 and 1 for k >= V. The target is [T], the prediction is logits [T, V].
//
//   k = 2, y = {1, 2}, logits = {{0, 1, 0.5}, {1, 0.5, 0}}:  accum 1, weight 2
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

struct SequenceTokenTopKAccuracyOptions {
  int64_t k = 1;
  std::string target_key = "y";
  std::string pred_key = {};                        // empty: the single prediction
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding
  std::vector<double> logits_mask = {};  // [V], added to the logits; -infinity excludes a class
  bool per_position = false;             // whether to keep one value per position, [T]
};

class SequenceTokenTopKAccuracy final : public BatchMetric {
 public:
  explicit SequenceTokenTopKAccuracy(SequenceTokenTopKAccuracyOptions options);

  stat::AnyStat zero() const override;
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;
  bool has_fixed_shape() const override { return !options_.per_position; }

 private:
  SequenceTokenTopKAccuracyOptions options_;
};

}  // namespace palimpsest::metric
