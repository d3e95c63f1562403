// The metrics that compare the tokens of sequences with predictions: the target of an example is
// [T], the prediction is logits [T, V]. Masked tokens are left out. Each is a definition for
// MetricOf (metric_of.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/metric/metric.h"
#include "palimpsest/stat/mean_stat.h"

namespace palimpsest::metric {

// The cross-entropy of tokens: -log softmax(logits)[target], in natural logarithm, averaged over
// the tokens. The mean is over all sequences together, or per position.
//
//   y = {1, 0, 1}, logits = {{1.2, 0.4}, {2.3, 0.1}, {0.3, 3.2}}
//   accum 1.2246635, weight 2; per position accum {1.1711007, 0, 0.0535628}, weight {1, 0, 1}
struct SequenceTokenCrossEntropyLoss {
  std::string target_key = "y";
  std::string pred_key = {};                        // empty: the single prediction
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding
  bool per_position = false;                        // whether to keep one value per position, [T]

  stat::MeanStat evaluate(const Batch& batch) const;
};

// The cross-entropy of whole sequences: the sum of -log softmax(logits)[target] over the tokens,
// averaged over the sequences. A sequence in which all tokens are masked does not count.
//
//   y = {1, 0, 1}, logits = {{1.2, 0.4}, {2.3, 0.1}, {0.3, 3.2}}:  accum 1.2246635, weight 1
struct SequenceCrossEntropyLoss {
  std::string target_key = "y";
  std::string pred_key = {};                        // empty: the single prediction
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding

  stat::MeanStat evaluate(const Batch& batch) const;
};

// The share of tokens for which the greatest logit (of equal ones, the first) is that of the
// target. It is computed over all sequences together, or per position.
//
//   y = {1, 2, 2, 1, 3, 0}, argmax of the logits = {1, 0, 2, 1, 3, 0}:  accum 4, weight 5
//   with logits_mask {0, 0, 0, -infinity} class 3 cannot be predicted:  accum 3, weight 5
struct SequenceTokenAccuracy {
  std::string target_key = "y";
  std::string pred_key = {};                        // empty: the single prediction
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding
  std::vector<double> logits_mask = {};  // [V], added to the logits; -infinity excludes a class
  bool per_position = false;             // whether to keep one value per position, [T]

  stat::MeanStat evaluate(const Batch& batch) const;
};

// The share of tokens whose target is among the k greatest logits; equal logits are ordered by
// their index. It is computed over all sequences together, or per position. It is 0 for k < 1 and 1
// for k >= V.
//
//   k = 2, y = {1, 2}, logits = {{0, 1, 0.5}, {1, 0.5, 0}}:  accum 1, weight 2
struct SequenceTokenTopKAccuracy {
  int64_t k = 1;
  std::string target_key = "y";
  std::string pred_key = {};                        // empty: the single prediction
  std::vector<int64_t> masked_target_values = {0};  // targets that do not count, such as padding
  std::vector<double> logits_mask = {};  // [V], added to the logits; -infinity excludes a class
  bool per_position = false;             // whether to keep one value per position, [T]

  stat::MeanStat evaluate(const Batch& batch) const;
};

}  // namespace palimpsest::metric
