// The number of sequences that have a token that is not masked. The target is [T]; there is no
// prediction.
//
//   masked_target_values = {0, 2}, y = {1, 2, 2, 3, 4, 0, 0}:  accum 1;  y = {0, 0}:  accum 0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

struct SequenceCountOptions {
  std::string target_key = "y";
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding
};

class SequenceCount final : public BatchMetric {
 public:
  explicit SequenceCount(SequenceCountOptions options = {});

  stat::AnyStat zero() const override;
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;

 private:
  SequenceCountOptions options_;
};

}  // namespace palimpsest::metric
