// AdamW (Loshchilov and Hutter 2019, "Decoupled weight decay regularization") on all weights of a
// model, with the gradient clipped to a length and a learning rate that warms up and then
// falls along a cosine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/engine/parameter_tensors.h"

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
  // Changes `values` in place and reads `gradients`, block by block of the same shape.
  AdamW(const AdamWOptions& options, const engine::ModelWeights& values,
        const engine::ModelWeights& gradients);

  // A step of this learning rate against the gradients. Returns their length before they were
  // clipped; if that is not finite, nothing moves. The number of threads changes nothing.
  double step(double rate, WorkerPool& pool);

  // Bytes of the moments for a model of so many parameters.
  static int64_t bytes(int64_t parameters);

 private:
  // Rows [begin, end) of a block: what one thread takes at a time.
  struct Unit {
    engine::Matrix values;
    engine::Matrix gradients;
    size_t moments = 0;  // where its numbers begin
    bool is_matrix = true;
  };
  double gradient_length(WorkerPool& pool) const;

  AdamWOptions options_;
  std::vector<Unit> units_;
  std::vector<float> first_;   // running mean of gradients
  std::vector<float> second_;  // of their squares
  int64_t steps_ = 0;
};

}  // namespace palimpsest::lab
