// The one decoder: embedding, layers, final norm, for packed tokens, as an Architecture describes
// them. Weights come from a WeightSource and stay in memory, or pass through it a layer at a time.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/torch/batch.h"
#include "palimpsest/torch/ops.h"
#include "palimpsest/torch/weights.h"

namespace palimpsest::torch {

// What a layer leaves behind for its backward pass; the rest is computed again.
struct LayerTape {
  at::Tensor hidden;         // [N, D] the layer's input
  at::Tensor qkv;            // [N, (H + 2 KV) · head_dim] as attention saw it
  at::Tensor projected;      // the same before query and key norms; only if there are any
  at::Tensor log_sums;       // [N, H]
  at::Tensor attended;       // [N, H · head_dim]
  at::Tensor attention_out;  // [N, D] before its post norm; only if there is one
  at::Tensor middle;         // [N, D] after the attention's residual; sequential blocks only
  at::Tensor mlp_in;         // [N, mlp_in] before the activation
  at::Tensor mlp_out;        // [N, D] before its post norm; only if there is one
};

class Decoder {
 public:
  // `source` and `ops` must outlive it. Resident: reads all weights now.
  Decoder(const WeightSource& source, Ops& ops, bool streamed);

  // The hidden states [N, D] of a batch before the first layer.
  at::Tensor embed(const Batch& batch) const;

  // Runs batches through all layers: hidden[i] belongs to batches[i] and is changed in place. A
  // streamed decoder takes all batches through a layer before it reads the next one.
  void run(std::span<const Batch> batches, std::vector<at::Tensor>& hidden);

  // Runs one batch and keeps what the backward pass needs: one tape a layer.
  std::vector<LayerTape> run_taped(const Batch& batch, const RotaryTable& rotary,
                                   at::Tensor& hidden);

  // The layer's weights: in memory, or read now.
  const LayerWeights& layer(int64_t index);

  // out [n, D] = the final norm of rows of hidden.
  at::Tensor final_norm(const at::Tensor& hidden, std::span<const int64_t> rows) const;

  // Rows [begin, end) of the head, [n, D].
  at::Tensor head_rows(int64_t begin, int64_t end) const;
  const at::Tensor& head_bias() const { return head_bias_; }
  const NormWeights& final_norm_weights() const { return final_norm_; }
  RotaryTable rotary(const Batch& batch) const;
  bool streamed() const { return streamed_; }
  const Architecture& architecture() const { return source_.architecture(); }
  Ops& ops() { return ops_; }

 private:
  void run_layer(int64_t index, const LayerWeights& weights, const Batch& batch,
                 const RotaryTable& rotary, at::Tensor& hidden, LayerTape* tape);
  at::Tensor attend(int64_t index, const LayerWeights& weights, const Batch& batch,
                    const RotaryTable& rotary, const at::Tensor& input, LayerTape* tape);
  void project_and_add(const at::Tensor& x, const LinearWeights& linear,
                       const NormWeights& post_norm, at::Tensor& hidden, at::Tensor* kept);
  at::Tensor normed(const NormWeights& norm, const at::Tensor& hidden);
  at::Tensor place(const at::Tensor& tensor) const;
  NormWeights place(const NormWeights& norm) const;
  LinearWeights place(const LinearWeights& linear) const;
  LayerWeights place(const LayerWeights& layer) const;
  at::Tensor buffer(at::Tensor& kept, int64_t rows, int64_t columns, bool fresh) const;

  const WeightSource& source_;
  Ops& ops_;
  bool streamed_;
  std::vector<LayerWeights> layers_;  // resident
  LayerWeights current_;              // streamed: the layer read last …
  int64_t current_index_ = -1;        // … and which it is
  at::Tensor embedding_, head_, positions_, head_bias_;
  NormWeights final_norm_;
  // Work space, kept from one call to the next.
  at::Tensor normed_, qkv_, attended_, mlp_in_, activated_, projected_;
};

}  // namespace palimpsest::torch
