// The share of sequences without the end-of-sequence token. Sequences in which all tokens are
// masked are left out. The target is [T]; there is no prediction.
//
//   eos_target_value = 4, y = {1, 2, 2, 3, 3, 3, 4}:  accum 0, weight 1
//                         y = {1, 2, 2, 3, 3, 3, 3}:  accum 1, weight 1
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

struct SequenceTruncationRateOptions {
  int64_t eos_target_value = 0;
  std::string target_key = "y";
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding
};

class SequenceTruncationRate final : public BatchMetric {
 public:
  explicit SequenceTruncationRate(SequenceTruncationRateOptions options);

  stat::AnyStat zero() const override;
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;

 private:
  SequenceTruncationRateOptions options_;
};

}  // namespace palimpsest::metric
