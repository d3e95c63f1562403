// The mean number of tokens in a sequence that are not masked. Sequences in which all tokens are
// masked are left out. The target is [T]; there is no prediction.
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
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding
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
