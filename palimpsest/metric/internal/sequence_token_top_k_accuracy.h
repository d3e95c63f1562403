// The share of a sequence's tokens, those that are masked left out, whose target is among the k
// greatest logits, equal ones in the order of their indices; of all sequences together or for each
// position. 0 for k < 1, 1 for k >= V. Target: [T]; prediction: logits [T, V].
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
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count: padding
  std::vector<double> logits_mask = {};  // [V], added to the logits: -infinity rules a class out
  bool per_position = false;             // keep a value for each position, [T]
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
