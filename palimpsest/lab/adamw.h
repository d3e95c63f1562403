// AdamW (Loshchilov and Hutter 2019, "Decoupled weight decay regularization") on one vector of
// parameters, with the gradient clipped to a length and a learning rate that warms up and then
// falls along a cosine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/lab/parameter_layout.h"

namespace palimpsest::lab {

struct AdamWOptions {
  double learning_rate = 3e-3;  // at its highest
  double final_share = 0.1;     // of it is left at the end
  double warmup_share = 0.1;    // of the steps lead up to it
  double weight_decay = 0.01;   // of matrices; norms are not decayed
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double max_gradient_norm = 1;  // a longer gradient is shortened to this; 0: never
};

// Throws Error for a value out of its range.
void require_valid(const AdamWOptions& options);

// All of them in a line, for fingerprints.
std::string describe(const AdamWOptions& options);

// The learning rate of step `step` of `steps`, from 0.
double learning_rate(const AdamWOptions& options, int64_t step, int64_t steps);

class AdamW {
 public:
  AdamW(const AdamWOptions& options, const ParameterLayout& layout);

  // Moves `values` against `gradient` by a step of this learning rate. Returns the gradient's
  // length before it was clipped; one that is not finite moves nothing.
  double step(std::span<float> values, std::span<const float> gradient, double rate,
              WorkerPool& pool);

 private:
  AdamWOptions options_;
  std::vector<ParameterBlock> blocks_;
  std::vector<float> first_;   // running mean of gradients
  std::vector<float> second_;  // of their squares
  int64_t steps_ = 0;
};

}  // namespace palimpsest::lab
