// The optimizer AdamW (Loshchilov and Hutter 2019, "Decoupled weight decay regularization"),
// applied to all weights of a model. The gradient is clipped to a maximum norm. The learning rate
// warms up and then falls along a cosine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/parameter_tensors.h"
#include "palimpsest/lab/training.h"

namespace palimpsest::lab {

// Throws Error if an option is out of range.
void require_valid(const AdamWOptions& options);

// All options in one line of text. The fingerprint by which the lab recognises a finished result
// contains it.
std::string describe(const AdamWOptions& options);

// The learning rate of the step number `step`, from 0 to steps - 1.
double learning_rate(const AdamWOptions& options, int64_t step, int64_t steps);

class AdamW {
 public:
  // step() reads `gradients` and changes `values` in place. Both must have blocks of the same
  // shapes.
  AdamW(const AdamWOptions& options, const engine::ModelWeights& values,
        const engine::ModelWeights& gradients);

  // Takes one step with the learning rate `rate`. Returns the norm of the gradient before clipping.
  // If the norm is not finite, the weights stay unchanged. The result does not depend on the number
  // of threads.
  double step(double rate, WorkerPool& pool);

  // The memory, in bytes, of the two moments for a model with this many parameters.
  static int64_t bytes(int64_t parameters);

 private:
  // Rows [begin, end) of a block. One thread handles one unit at a time.
  struct Unit {
    engine::Matrix values;
    engine::Matrix gradients;
    size_t moments = 0;  // index of its first number in first_ and second_
    bool is_matrix = true;
  };
  double gradient_length(WorkerPool& pool) const;

  AdamWOptions options_;
  std::vector<Unit> units_;
  std::vector<float> first_;   // running mean of the gradients
  std::vector<float> second_;  // running mean of their squares
  int64_t steps_ = 0;
};

}  // namespace palimpsest::lab
