// The backward pass through norms and decoder layers, over packed examples. A GradientSink receives
// the gradients of the parameters.
#pragma once

#include <cstdint>
#include <span>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/cpu_attention.h"
#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/engine/internal/gradient_sink.h"
#include "palimpsest/engine/internal/matrix_pool.h"
#include "palimpsest/kernels/internal/matmul.h"

namespace palimpsest::engine {

// The arguments of the backward pass through a norm over whole rows: computes dx from dy, or adds
// to dx if `accumulate` is set. `rows` are the rows of x and dx; if it is empty, they are all rows
// in order. The rows of dy are always in order.
struct NormBackward {
  const model::NormSpec& spec;
  int64_t layer = 0;
  const NormWeights& weights;
  const Matrix& x;
  const Matrix& dy;
  const Matrix& dx;
  bool accumulate = false;
  std::span<const int64_t> rows = {};
};
void norm_backward(const NormBackward& norm, GradientSink& sink, WorkerPool& pool);

class LayerGradient {
 public:
  // All references must outlive this object.
  LayerGradient(const model::Architecture& architecture, const Batch& batch,
                const RotaryTables& rotaries, GradientSink& sink, Ops& ops, WorkerPool& pool);

  // Replaces dh [N, D], the gradient with respect to the layer's output, by the gradient with
  // respect to its input. The content of the tape is destroyed.
  void run(int64_t layer, const LayerWeights& weights, LayerTape& tape, Matrix& dh);

 private:
  // Each of these takes the gradient of its block's output and returns the gradient of its (normed)
  // input.
  Matrix mlp(int64_t layer, const LayerWeights& weights, LayerTape& tape, const Matrix& input,
             const Matrix& dout);
  Matrix attention(int64_t layer, const LayerWeights& weights, LayerTape& tape, const Matrix& input,
                   const Matrix& dout);
  void before_attention(int64_t layer, const LayerWeights& weights, const LayerTape& tape,
                        const Matrix& dqkv);
  Matrix through_post_norm(const std::optional<model::NormSpec>& spec, int64_t layer,
                           const NormWeights& weights, const Matrix& before, const Matrix& dh);
  Matrix normed(const NormWeights& norm, const Matrix& x);
  Matrix back_through(const LinearWeights& linear, const Matrix& dy);

  const model::Architecture& architecture_;
  const Batch& batch_;
  const RotaryTables& rotaries_;
  GradientSink& sink_;
  Ops& ops_;
  WorkerPool& pool_;
  CpuAttention attention_;
  kernels::Matmul matmul_;
  MatrixPool memory_;  // for matrices that are not needed beyond a layer
};

}  // namespace palimpsest::engine
