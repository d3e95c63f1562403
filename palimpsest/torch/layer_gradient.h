// The backward pass of one decoder layer over packed examples.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/torch/cpu_attention.h"
#include "palimpsest/torch/decoder.h"
#include "palimpsest/torch/kernels/product.h"
#include "palimpsest/torch/linear_gradient.h"

namespace palimpsest::torch {

class LayerGradient {
 public:
  LayerGradient(const Architecture& architecture, const Batch& batch, const RotaryTable& rotary,
                LinearGradients& parameters, WorkerPool& pool);

  // dh [N, D], the gradient with respect to the layer's output, becomes that with respect to its
  // input. The tape is used up.
  void run(int64_t layer, const LayerWeights& weights, LayerTape& tape, Ops& ops, at::Tensor& dh);

 private:
  // Each takes the gradient of its block's output and returns that of its (normed) input.
  at::Tensor mlp(int64_t layer, const LayerWeights& weights, LayerTape& tape,
                 const at::Tensor& input, const at::Tensor& dout);
  at::Tensor attention(int64_t layer, const LayerWeights& weights, LayerTape& tape,
                       const at::Tensor& input, const at::Tensor& dout);
  void before_attention(int64_t layer, const LayerWeights& weights, const LayerTape& tape,
                        at::Tensor& dqkv);
  at::Tensor through_post_norm(const std::optional<NormSpec>& spec, int64_t layer,
                               const NormWeights& weights, const at::Tensor& before,
                               const at::Tensor& dh);
  at::Tensor normed(const NormWeights& norm, const at::Tensor& x, Ops& ops) const;
  at::Tensor back_through(const LinearWeights& linear, const at::Tensor& dy);

  const Architecture& a_;
  const Batch& batch_;
  const RotaryTable& rotary_;
  LinearGradients& parameters_;
  WorkerPool& pool_;
  CpuAttention attention_;
  kernels::Product product_;
};

}  // namespace palimpsest::torch
