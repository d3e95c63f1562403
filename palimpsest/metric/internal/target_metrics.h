// The metrics that read only the targets of sequences, [T]; there is no prediction. Masked tokens
// do not count. Each is a definition for MetricOf (metric_of.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/metric/metric.h"
#include "palimpsest/stat/mean_stat.h"
#include "palimpsest/stat/sum_stat.h"

namespace palimpsest::metric {

// The number of tokens.
//
//   masked_target_values = {0, 2}, y = {1, 2, 2, 3, 4, 0, 0}:  accum 3
struct SequenceTokenCount {
  std::string target_key = "y";
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding

  stat::SumStat evaluate(const Batch& batch) const;
};

// The number of sequences that have a token that is not masked.
//
//   masked_target_values = {0, 2}, y = {1, 2, 2, 3, 4, 0, 0}:  accum 1;  y = {0, 0}:  accum 0
struct SequenceCount {
  std::string target_key = "y";
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding

  stat::SumStat evaluate(const Batch& batch) const;
};

// The share of sequences without the end-of-sequence token. Sequences in which all tokens are
// masked are left out.
//
//   eos_target_value = 4, y = {1, 2, 2, 3, 3, 3, 4}:  accum 0, weight 1
//                         y = {1, 2, 2, 3, 3, 3, 3}:  accum 1, weight 1
struct SequenceTruncationRate {
  int64_t eos_target_value = 0;
  std::string target_key = "y";
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding

  stat::MeanStat evaluate(const Batch& batch) const;
};

// The share of tokens that stand for words outside the vocabulary (OOV): those that equal ANY of
// oov_target_values. (fedjax multiplies the comparisons, so with two values no token ever counts
// there.) It is computed over all sequences together, or per position.
//
//   oov_target_values = {2}, y = {1, 2, 2, 3, 4, 0, 0}:  accum 2, weight 5
struct SequenceTokenOovRate {
  std::vector<int64_t> oov_target_values = {};  // at least one
  std::string target_key = "y";
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding
  bool per_position = false;                        // whether to keep one value per position, [T]

  void require_valid() const;
  stat::MeanStat evaluate(const Batch& batch) const;
};

// The mean number of tokens in a sequence. Sequences in which all tokens are masked are left out.
//
//   y = {1, 2, 3, 4, 0, 0}:  accum 4, weight 1
struct SequenceLength {
  std::string target_key = "y";
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding

  stat::MeanStat evaluate(const Batch& batch) const;
};

}  // namespace palimpsest::metric
