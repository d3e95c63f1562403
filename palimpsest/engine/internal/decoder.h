// The decoder of all models: embedding, layers and final norm for packed tokens, as an Architecture
// describes them. Weights are in memory, or are read from a WeightSource one layer at a time. The
// Ops decides where the computation runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/engine/internal/batch.h"
#include "palimpsest/engine/internal/ops.h"
#include "palimpsest/engine/internal/weights.h"

namespace palimpsest::engine {

// The values of a layer that its backward pass needs. Others are computed again.
struct LayerTape {
  Matrix hidden;         // [N, D] the layer's input
  Matrix qkv;            // [N, (H + 2 KV) · head_dim], the input of attention
  Matrix projected;      // the same before query and key norms; only if there are such norms
  Matrix log_sums;       // [N, H]
  Matrix attended;       // [N, H · head_dim]
  Matrix attention_out;  // [N, D], before its post norm; only if there is one
  Matrix middle;         // [N, D], after the attention's residual sum; only sequential blocks
  Matrix mlp_in;         // [N, mlp_in], before the activation
  Matrix mlp_out;        // [N, D], before its post norm; only if there is one
};

// Returns a function that calls ops.to_device(). `ops` must outlive it.
ToDevice to_device_with(Ops& ops);

class Decoder {
 public:
  // A decoder with its weights in memory, already on the device of `ops`. All references must
  // outlive the decoder.
  Decoder(const model::Architecture& architecture, ModelWeights weights, Ops& ops);
  // The same with the weights of some layers alone (WeightSource::part()).
  struct Layers {
    int64_t begin = 0;
    int64_t end = 0;
  };
  Decoder(const model::Architecture& architecture, Layers layers, ModelWeights weights, Ops& ops);
  // A streamed decoder, which reads each layer when it is needed.
  Decoder(const WeightSource& source, Ops& ops);

  // The hidden states [N, D] of a batch before the first layer.
  Matrix embed(const Batch& batch) const;

  // Runs batches through all layers that the decoder has. hidden[i] belongs to batches[i] and is
  // changed in place. A streamed decoder runs all batches through a layer before it reads the next
  // one.
  void run(std::span<const Batch> batches, std::vector<Matrix>& hidden);

  // Runs one batch through one layer. If `tape` is not null, it receives the values that the
  // backward pass needs.
  void run_layer(int64_t index, const Batch& batch, const RotaryTables& rotaries, Matrix& hidden,
                 LayerTape* tape);

  // The weights of the layer. A streamed decoder reads them now.
  const LayerWeights& layer(int64_t index);

  // Returns [n, D]: the final norm of these rows of `hidden`.
  Matrix final_norm(const Matrix& hidden, std::span<const int64_t> rows) const;

  // Rows [begin, end) of the head, [n, D].
  Matrix head_rows(int64_t begin, int64_t end) const;
  const Matrix& head_bias() const { return weights_.head_bias; }
  const NormWeights& final_norm_weights() const { return weights_.final_norm; }
  bool streamed() const { return source_ != nullptr; }
  // Whether it has the embedding, and whether it has the final norm and the head.
  bool has_first_layer() const { return layers_.begin == 0; }
  bool has_last_layer() const { return layers_.end == architecture_.num_layers; }
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
  Layers layers_;  // those that it has
  Ops& ops_;
  const WeightSource* source_ = nullptr;  // if streamed; else null
  ModelWeights weights_;                  // if streamed, only those outside the layers
  LayerWeights current_;                  // if streamed: the layer that was read last
  int64_t current_index_ = -1;            // if streamed: the number of that layer
  // Work space, kept from one call to the next.
  Matrix normed_, qkv_, attended_, mlp_in_, activated_, projected_;
};

}  // namespace palimpsest::engine
