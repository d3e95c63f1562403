// The share of tokens that stand for words outside the vocabulary (OOV): those that equal ANY of
// oov_target_values. Masked tokens are left out. (fedjax multiplies the comparisons, so with two
// values no token ever counts there.) It is computed over all sequences together, or per position.
// The target is [T]; there is no prediction.
//
//   oov_target_values = {2}, y = {1, 2, 2, 3, 4, 0, 0}:  accum 2, weight 5
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/metric/metric.h"

namespace palimpsest::metric {

struct SequenceTokenOovRateOptions {
  std::vector<int64_t> oov_target_values = {};  // at least one
  std::string target_key = "y";
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding
  bool per_position = false;                        // whether to keep one value per position, [T]
};

class SequenceTokenOovRate final : public BatchMetric {
 public:
  // Throws Error if oov_target_values is empty.
  explicit SequenceTokenOovRate(SequenceTokenOovRateOptions options);

  stat::AnyStat zero() const override;
  stat::AnyStat evaluate_batch(const Batch& batch) const override;
  MetricInputs inputs() const override;
  bool has_fixed_shape() const override { return !options_.per_position; }

 private:
  SequenceTokenOovRateOptions options_;
};

}  // namespace palimpsest::metric
