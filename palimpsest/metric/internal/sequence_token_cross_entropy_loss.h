// The cross-entropy of the tokens of sequences: -log softmax(logits)[target], in natural logarithm,
// averaged over the tokens that are not masked. The mean is over all sequences together, or per
// position. The target is [T], the prediction is logits [T, V].
//
//   y = {1, 0, 1}, logits = {{1.2, 0.4}, {2.3, 0.1}, {0.3, 3.2}}
//   accum 1.2246635, weight 2; per position accum {1.1711007, 0, 0.0535628}, weight {1, 0, 1}
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

struct SequenceTokenCrossEntropyLossOptions {
  std::string target_key = "y";
  std::string pred_key = {};                        // empty: the single prediction
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding
  bool per_position = false;                        // whether to keep one value per position, [T]
};

class SequenceTokenCrossEntropyLoss final : public BatchMetric {
 public:
  explicit SequenceTokenCrossEntropyLoss(SequenceTokenCrossEntropyLossOptions options = {});

  stat::AnyStat zero() const override;
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;
  bool has_fixed_shape() const override { return !options_.per_position; }

 private:
  SequenceTokenCrossEntropyLossOptions options_;
};

}  // namespace palimpsest::metric
