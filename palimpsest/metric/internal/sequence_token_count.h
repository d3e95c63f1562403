// The number of tokens that are not masked. The target is [T]; there is no prediction.
//
//   masked_target_values = {0, 2}, y = {1, 2, 2, 3, 4, 0, 0}:  accum 3
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

struct SequenceTokenCountOptions {
  std::string target_key = "y";
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding
};

class SequenceTokenCount final : public BatchMetric {
 public:
  explicit SequenceTokenCount(SequenceTokenCountOptions options = {});

  stat::AnyStat zero() const override;
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;

 private:
  SequenceTokenCountOptions options_;
};

}  // namespace palimpsest::metric
