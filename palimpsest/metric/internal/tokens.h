// The tokens of a batch: every target that is not masked, with its row of logits. All metrics that
// compare targets with predictions use this class. A class counts as a token without a position.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/metric/internal/row_kernels.h"
#include "palimpsest/metric/internal/targets.h"
#include "palimpsest/stat/mean_stat.h"

namespace palimpsest::metric {

struct TokenOptions {
  std::string target_key = {};
  std::string pred_key = {};  // empty: the single prediction
  std::vector<int64_t> masked_target_values = {};
  std::vector<double> logits_mask = {};  // [V], added to every row; may be empty
};

struct Token {
  int64_t example = 0;
  int64_t position = 0;
  int64_t target = 0;  // in [0, V)
  LogitRow logits;     // [V]
};

// Refers to the batch, which must outlive it. Must not be shared between threads.
class Tokens {
 public:
  // Throws Error if a key is missing or if targets, logits and mask do not fit together.
  Tokens(const Batch& batch, TokenOptions options, TargetKind kind);

  int64_t length() const { return targets_.length(); }  // T
  int64_t num_classes() const { return num_classes_; }  // V

  // Calls visit(token) for every token of the kept examples, in order. Throws Error for a target
  // outside [0, V). That Error, and Errors that visit() throws, begin with the example and the
  // position.
  template <class Visit>
  void for_each(Visit visit) {
    for (int64_t example : batch_->kept()) {
      const auto targets = targets_.of(example);
      for (int64_t t = 0; t < length(); ++t) {
        const int64_t target = targets[static_cast<size_t>(t)];
        if (contains(options_.masked_target_values, target)) continue;
        try {
          require_class(target);
          visit(Token{example, t, target, row(example * length() + t)});
        } catch (const Error& error) {
          throw targets_.located(error, example, t);
        }
      }
    }
  }

  // The mean of score(token) over all tokens, or per position, [T].
  template <class Score>
  stat::MeanStat mean(bool per_position, Score score) {
    Array accum = per_position ? Array::zeros({length()}) : Array(0.0);
    Array weight = accum;
    for_each([&](const Token& token) {
      const auto slot = static_cast<size_t>(per_position ? token.position : 0);
      accum.values()[slot] += static_cast<double>(score(token));
      weight.values()[slot] += 1;
    });
    return stat::MeanStat::make(std::move(accum), std::move(weight));
  }

 private:
  void require_class(int64_t target) const;
  // The logits of one token, with the logits mask added.
  LogitRow row(int64_t index);

  const Batch* batch_;
  TokenOptions options_;
  TargetKind kind_;
  Targets targets_;
  TensorView logits_;
  int64_t num_classes_ = 0;
  // Rows that must be converted: integers, and rows to which a mask is added.
  std::vector<float> floats_;
  std::vector<double> doubles_;
};

}  // namespace palimpsest::metric
