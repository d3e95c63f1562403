// The steps of a decoder on packed rows [N, …], behind one interface: cpu_ops.cc does them with
// fused float32 kernels, portable_ops.cc with libtorch's own operators on any device and type.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/model/architecture.h"
#include "palimpsest/torch/batch.h"
#include "palimpsest/torch/kernels/vocabulary.h"
#include "palimpsest/torch/weights.h"

namespace palimpsest::torch {

class Ops {
 public:
  virtual ~Ops() = default;

  // Device and type of everything that passes through.
  virtual at::TensorOptions options() const = 0;
  // Whether tensors are float32 in this machine's memory, so that kernels may read them.
  virtual bool is_plain() const = 0;

  // out = norm(x); may be x itself.
  virtual void norm(const NormWeights& norm, const at::Tensor& x, at::Tensor& out) = 0;

  // out [N, outputs] = x [N, inputs] · weightᵀ. The bias is left to the step that follows. With
  // plain tensors a row's result depends on nothing else from two rows on; one row alone is summed
  // in another order, which decoding profits from.
  virtual void multiply(const at::Tensor& x, const at::Tensor& weight, at::Tensor& out) = 0;
  // out += x · weightᵀ.
  virtual void multiply_add(const at::Tensor& x, const at::Tensor& weight, at::Tensor& out) = 0;

  // What happens to queries, keys and values [N, (heads + 2 kv_heads) · head_dim] between
  // projection and attention, in place: bias, query and key norms, rotation.
  virtual void prepare_attention(const LayerWeights& layer, const RotaryTable& rotary,
                                 at::Tensor& qkv) = 0;

  // Appends keys and values to the caches of the batch, then out [N, heads · head_dim] =
  // attention. log_sums [N, heads] is written if defined (plain tensors only).
  virtual void attention(int64_t layer, const Batch& batch, const at::Tensor& qkv, at::Tensor& out,
                         at::Tensor& log_sums) = 0;

  // in [N, mlp_in] += bias, in place; out [N, mlp_size] = the activation of it.
  virtual void activate(const at::Tensor& bias, at::Tensor& in, at::Tensor& out) = 0;

  // x += bias, in place (if there is one); hidden += post_norm(x).
  virtual void add_residual(const at::Tensor& bias, const NormWeights& post_norm, at::Tensor& x,
                            at::Tensor& hidden) = 0;

  // A tile [rows, n] of products with the head becomes logits, in place: bias [n] (may be
  // undefined), then the soft cap.
  virtual void finish_logits(const at::Tensor& bias, at::Tensor& tile) = 0;

  // Takes the tile of classes [first, first + n) into the states of its rows.
  virtual void reduce(int64_t first, at::Tensor& tile, std::span<const int64_t> labels,
                      std::span<kernels::VocabularyState> states) = 0;
};

std::unique_ptr<Ops> make_cpu_ops(const Architecture& architecture, WorkerPool& pool);
std::unique_ptr<Ops> make_portable_ops(const Architecture& architecture,
                                       const at::TensorOptions& options);

}  // namespace palimpsest::torch
