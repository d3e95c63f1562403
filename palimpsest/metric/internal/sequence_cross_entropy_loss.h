// The cross-entropy of whole sequences: the sum of -log softmax(logits)[target] over the tokens
// that are not masked, averaged over the sequences. A sequence in which all tokens are masked does
// not count. The target is [T], the prediction is logits [T, V].
//
//   y = {1, 0, 1}, logits = {{1.2, 0.4}, {2.3, 0.1}, {0.3, 3.2}}:  accum 1.2246635, weight 1
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

struct SequenceCrossEntropyLossOptions {
  std::string target_key = "y";
  std::string pred_key = {};                        // empty: the single prediction
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding
};

class SequenceCrossEntropyLoss final : public BatchMetric {
 public:
  explicit SequenceCrossEntropyLoss(SequenceCrossEntropyLossOptions options = {});

  stat::AnyStat zero() const override;
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;

 private:
  SequenceCrossEntropyLossOptions options_;
};

}  // namespace palimpsest::metric
