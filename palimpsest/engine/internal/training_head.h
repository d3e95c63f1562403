// The head's part of a training step: the losses of labelled rows, and their gradients with respect
// to the rows and to the head's weights. Logits exist only for a limited number of rows at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/engine/internal/gradient_buffers.h"
#include "palimpsest/kernels/internal/matmul.h"

namespace palimpsest::engine {

// Rows [n, D] after the final norm, and the losses to compute for them.
struct HeadLosses {
  Matrix normed;
  std::span<const int64_t> labels;  // n
  std::span<const float> weights;   // one per row: the weight of its loss
  // If defined, the loss is KL(q ‖ p) instead of -log p(label), where q is the distribution of the
  // model `other`, and these are its rows.
  Matrix other_normed;
  Decoder* other = nullptr;
};

class TrainingHead {
 public:
  // All references must outlive this object.
  TrainingHead(Decoder& decoder, const GradientBuffers& buffers, kernels::Matmul& product,
               WorkerPool& pool);

  // Returns the gradient [n, D] with respect to `normed`, and adds the head's own gradient to the
  // buffers. values[i] becomes the loss of row i, without its weight.
  Matrix run(const HeadLosses& losses, std::vector<double>& values);

 private:
  Matrix logits(Decoder& decoder, const Matrix& normed, Matrix& memory);
  void run_rows(const HeadLosses& losses, int64_t begin, int64_t count, const Matrix& gradient,
                std::vector<double>& values);

  Decoder& decoder_;
  const GradientBuffers& buffers_;
  kernels::Matmul& matmul_;
  WorkerPool& pool_;
  Matrix logits_, other_logits_;  // work space, kept between calls
};

}  // namespace palimpsest::engine
