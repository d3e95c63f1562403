// The weights of a checkpoint as the decoder wants them: float32, fused projections in one matrix,
// adapters merged, every shape checked. Layers are read when they are asked for, so that the same
// source serves a model that stays in memory and one that is streamed through it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/model/adapter.h"
#include "palimpsest/model/architecture.h"
#include "palimpsest/model/checkpoint.h"

namespace palimpsest::torch {

struct LinearWeights {
  at::Tensor weight;  // [outputs, inputs]; there may be room between the rows
  at::Tensor bias;    // [outputs]; undefined if there is none
};

struct NormWeights {
  at::Tensor weight;  // [width]; undefined if there is no such norm
  at::Tensor bias;    // [width] or undefined
};

struct LayerWeights {
  NormWeights attention_norm, query_norm, key_norm, attention_post_norm, mlp_norm, mlp_post_norm;
  LinearWeights query_key_value, attention_out, mlp_in, mlp_out;
};

class WeightSource {
 public:
  // `adapter` may be empty. Throws Error if a tensor is missing or has another shape, for every layer at
  // once, before any weight is read.
  WeightSource(Architecture architecture, Checkpoint checkpoint, std::optional<Adapter> adapter,
               WorkerPool& pool);

  // Nothing will be read twice: the files' pages need not stay in memory once they are read.
  void release_after_reading() { read_once_ = true; }

  LayerWeights layer(int64_t index) const;
  NormWeights final_norm() const;
  at::Tensor positions() const;  // [max_positions, D]; undefined for rotary models
  at::Tensor head_bias() const;  // [V] or undefined

  // Rows [begin, end) of the embedding or of the head (which may be the same tensor), [n, D].
  at::Tensor embedding_rows(int64_t begin, int64_t end) const;
  at::Tensor head_rows(int64_t begin, int64_t end) const;
  // One row of the embedding into out[0, D).
  void embedding_row(int64_t id, float* out) const;

  const Architecture& architecture() const { return architecture_; }
  const Checkpoint& checkpoint() const { return checkpoint_; }

 private:
  const TensorView& tensor(const std::string& name) const;
  void read(const std::string& name, at::Tensor& out) const;
  void read_rows(const std::string& name, int64_t begin, int64_t end, float* out,
                 int64_t stride) const;
  NormWeights norm(const std::optional<NormSpec>& spec, int64_t layer) const;
  LinearWeights linear(const LinearSpec& spec, int64_t layer) const;
  void merge_updates(const std::string& name, int64_t first_row, at::Tensor& rows) const;

  Architecture architecture_;
  Checkpoint checkpoint_;
  std::optional<Adapter> adapter_;
  WorkerPool& pool_;
  bool read_once_ = false;
};

}  // namespace palimpsest::torch
