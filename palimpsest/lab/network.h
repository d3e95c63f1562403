// The forward pass of a tiny model out of differentiable libtorch operators: what palimpsest/torch
// computes with kernels of its own, again in the form that autograd can take derivatives of. Dense
// rectangles of tokens, float32, CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "palimpsest/lab/batches.h"
#include "palimpsest/lab/parameter_layout.h"

namespace palimpsest::lab {

struct LayerTensors {
  at::Tensor attention_norm;   // [D]
  at::Tensor query_key_value;  // [3D, D]
  at::Tensor attention_out;    // [D, D]
  at::Tensor mlp_norm;         // [D]
  at::Tensor gate_up;          // [2M, D]
  at::Tensor down;             // [D, M]
};

struct NetworkTensors {
  std::vector<at::Tensor> all;  // one a block of the layout, in its order
  at::Tensor embedding;         // [V, D]
  std::vector<LayerTensors> layers;
  at::Tensor final_norm;  // [D]
  at::Tensor head;        // [V, D]; the embedding itself if tied

  // Views of `values`, which must outlive them. With `differentiable` each block is a leaf of its
  // own that gradients are taken for.
  NetworkTensors(const ParameterLayout& layout, float* values, bool differentiable);
};

// Immutable: threads may share one.
class Network {
 public:
  // For sequences of at most `longest` tokens.
  Network(const Architecture& architecture, int64_t longest);

  // The logits [M, V] that predict the shard's M labelled tokens.
  at::Tensor logits(const NetworkTensors& weights, const Shard& shard) const;

 private:
  Architecture architecture_;
  at::Tensor cosine_;  // [longest, head_dim / 2]
  at::Tensor sine_;
};

// log p of the targets, [M].
at::Tensor log_probabilities(const at::Tensor& logits, const Shard& shard);

// Their sums over each sequence, [B].
at::Tensor sequence_sums(const at::Tensor& log_probabilities, const Shard& shard);

}  // namespace palimpsest::lab
