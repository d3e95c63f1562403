// The head's part of a training step: losses of labelled rows, and their gradients with respect to
// the rows and to the head's weights. Logits exist for a bounded number of rows at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/engine/internal/gradient_buffers.h"
#include "palimpsest/kernels/internal/matmul.h"

namespace palimpsest::engine {

// Rows [n, D] after the final norm, and the losses that are taken of them.
struct HeadLosses {
  Matrix normed;
  std::span<const int64_t> labels;  // n
  std::span<const float> weights;   // n: what each row's loss counts
  // Instead of -log p(label): the divergence KL(q ‖ p) from the distribution q of another model,
  // of which these are the rows. Undefined: there is none.
  Matrix other_normed;
  Decoder* other = nullptr;
};

class TrainingHead {
 public:
  // All references must outlive it.
  TrainingHead(Decoder& decoder, const GradientBuffers& buffers, kernels::Matmul& product,
               WorkerPool& pool);

  // Returns the gradient [n, D] with respect to `normed` and adds the head's own to the buffers.
  // values[i]: row i's loss, without its weight.
  Matrix run(const HeadLosses& losses, std::vector<double>& values);

 private:
  Matrix logits(Decoder& decoder, const Matrix& normed, Matrix& memory);
  void run_rows(const HeadLosses& losses, int64_t begin, int64_t count, const Matrix& gradient,
                std::vector<double>& values);

  Decoder& decoder_;
  const GradientBuffers& buffers_;
  kernels::Matmul& matmul_;
  WorkerPool& pool_;
  Matrix logits_, other_logits_;  // kept from call to call
};

}  // namespace palimpsest::engine
