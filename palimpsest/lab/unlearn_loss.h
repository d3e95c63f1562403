// The losses of the unlearning methods (see unlearning.h for their formulas), a shard at a time.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/lab/batches.h"
#include "palimpsest/lab/network.h"
#include "palimpsest/lab/session.h"
#include "palimpsest/lab/unlearning.h"

namespace palimpsest::lab {

struct UnlearnTerms {
  UnlearnMethod method = UnlearnMethod::kNpo;
  double gamma = 1;
  double alpha = 1;
  double beta = 0.1;
  double delta = 0;
};

// What people want to see of a step, beside the loss that is minimised.
struct LossSums {
  double forget = 0;  // sum of -log p over labelled tokens
  double retain = 0;  // the same, or of KL divergences
  int64_t forget_labels = 0;
  int64_t retain_labels = 0;

  void add(const LossSums& other);
  double forget_mean() const {
    return forget_labels > 0 ? forget / static_cast<double>(forget_labels) : 0;
  }
  double retain_mean() const {
    return retain_labels > 0 ? retain / static_cast<double>(retain_labels) : 0;
  }
};

// Threads may share one.
class UnlearnLoss {
 public:
  // The session's parameters as they are now are the old model. It must outlive this.
  UnlearnLoss(const UnlearnTerms& terms, Session& session, const std::vector<Example>& forget);

  // The part of a batch's loss that shard `s` contributes, a scalar.
  at::Tensor forget(const NetworkTensors& weights, const Batch& batch, size_t s,
                    LossSums& sums) const;
  at::Tensor retain(const NetworkTensors& weights, const Batch& batch, size_t s,
                    LossSums& sums) const;

 private:
  at::Tensor preference(const at::Tensor& token_log_probabilities, const Batch& batch,
                        const Shard& shard) const;

  UnlearnTerms terms_;
  const Session& session_;
  std::vector<float> old_values_;             // kl
  std::vector<float> old_log_probabilities_;  // npo: log π₀(y|x) of each forget example
};

}  // namespace palimpsest::lab
