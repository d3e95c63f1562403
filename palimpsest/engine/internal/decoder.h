// The one decoder: embedding, layers, final norm, for packed tokens, as an Architecture describes
// them. Weights are in memory, or pass through it a layer at a time from a WeightSource. Whoever
// runs the steps (Ops) decides where.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/engine/internal/batch.h"
#include "palimpsest/engine/internal/ops.h"
#include "palimpsest/engine/weights.h"

namespace palimpsest::engine {

// What a layer leaves behind for its backward pass; the rest is computed again.
struct LayerTape {
  Matrix hidden;         // [N, D] the layer's input
  Matrix qkv;            // [N, (H + 2 KV) · head_dim] as attention saw it
  Matrix projected;      // the same before query and key norms; only if there are any
  Matrix log_sums;       // [N, H]
  Matrix attended;       // [N, H · head_dim]
  Matrix attention_out;  // [N, D] before its post norm; only if there is one
  Matrix middle;         // [N, D] after the attention's residual; sequential blocks only
  Matrix mlp_in;         // [N, mlp_in] before the activation
  Matrix mlp_out;        // [N, D] before its post norm; only if there is one
};

// Places weights where `ops` wants them; `ops` must outlive it.
ToDevice to_device_with(Ops& ops);

class Decoder {
 public:
  // All references must outlive the decoder. With weights in memory, where `ops` wants them:
  Decoder(const model::Architecture& architecture, ModelWeights weights, Ops& ops);
  // Streamed: reads each layer when it is its turn.
  Decoder(const WeightSource& source, Ops& ops);

  // The hidden states [N, D] of a batch before the first layer.
  Matrix embed(const Batch& batch) const;

  // Runs batches through all layers: hidden[i] belongs to batches[i] and is changed in place. A
  // streamed decoder takes all batches through a layer before it reads the next one.
  void run(std::span<const Batch> batches, std::vector<Matrix>& hidden);

  // Runs one batch through one layer; the tape (may be null) keeps what the backward pass needs.
  void run_layer(int64_t index, const Batch& batch, const RotaryTables& rotaries, Matrix& hidden,
                 LayerTape* tape);

  // The layer's weights: in memory, or read now.
  const LayerWeights& layer(int64_t index);

  // out [n, D] = the final norm of rows of hidden.
  Matrix final_norm(const Matrix& hidden, std::span<const int64_t> rows) const;

  // Rows [begin, end) of the head, [n, D].
  Matrix head_rows(int64_t begin, int64_t end) const;
  const Matrix& head_bias() const { return weights_.head_bias; }
  const NormWeights& final_norm_weights() const { return weights_.final_norm; }
  bool streamed() const { return source_ != nullptr; }
  const model::Architecture& architecture() const { return architecture_; }
  Ops& ops() { return ops_; }

 private:
  void run_layer(int64_t index, const LayerWeights& weights, const Batch& batch,
                 const RotaryTable& rotary, Matrix& hidden, LayerTape* tape);
  Matrix attend(int64_t index, const LayerWeights& weights, const Batch& batch,
                const RotaryTable& rotary, const Matrix& input, LayerTape* tape);
  void project_and_add(const Matrix& x, const LinearWeights& linear, const NormWeights& post_norm,
                       Matrix& hidden, Matrix* kept);
  Matrix normed(const NormWeights& norm, const Matrix& hidden);
  Matrix copy_of(const Matrix& matrix);
  Matrix buffer(Matrix& kept, int64_t rows, int64_t columns, bool fresh);

  const model::Architecture& architecture_;
  Ops& ops_;
  const WeightSource* source_ = nullptr;  // streamed
  ModelWeights weights_;                  // streamed: only the small ones
  LayerWeights current_;                  // streamed: the layer read last …
  int64_t current_index_ = -1;            // … and which it is
  // Work space, kept from one call to the next.
  Matrix normed_, qkv_, attended_, mlp_in_, activated_, projected_;
};

}  // namespace palimpsest::engine
