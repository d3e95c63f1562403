// The mean number of tokens that are not masked in a sequence; sequences that are masked throughout
// are left out. Target: [T]; no prediction.
//
//   y = {1, 2, 3, 4, 0, 0}:  accum 4, weight 1
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

struct SequenceLengthOptions {
  std::string target_key = "y";
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count: padding
};

class SequenceLength final : public BatchMetric {
 public:
  explicit SequenceLength(SequenceLengthOptions options = {});

  stat::AnyStat zero() const override;
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;

 private:
  SequenceLengthOptions options_;
};

}  // namespace palimpsest::metric
