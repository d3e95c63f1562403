#include "palimpsest/lab/network.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/lab/fused_ops.h"

namespace palimpsest::lab {
namespace {

// A view of numbers that somebody else owns; operators only read it.
at::Tensor view_of(const std::vector<int64_t>& values) {
  return at::from_blob(const_cast<int64_t*>(values.data()), {std::ssize(values)}, at::kLong);
}

}  // namespace

NetworkTensors::NetworkTensors(const ParameterLayout& layout, float* values, bool differentiable) {
  for (const ParameterBlock& block : layout.blocks()) {
    at::Tensor view =
        block.is_matrix()
            ? at::from_blob(values + block.offset, {block.rows, block.columns}, at::kFloat)
            : at::from_blob(values + block.offset, {block.columns}, at::kFloat);
    if (differentiable) view.set_requires_grad(true);
    all.push_back(std::move(view));
  }
  const Architecture& architecture = layout.architecture();
  size_t next = 0;
  embedding = all[next++];
  for (int64_t i = 0; i < architecture.num_layers; ++i) {
    const size_t b = next;
    layers.push_back({.attention_norm = all[b],
                      .query_key_value = all[b + 1],
                      .attention_out = all[b + 2],
                      .mlp_norm = all[b + 3],
                      .gate_up = all[b + 4],
                      .down = all[b + 5]});
    next += ParameterLayout::kBlocksPerLayer;
  }
  final_norm = all[next++];
  head = architecture.tied_embeddings ? embedding : all[next];
}

Network::Network(const Architecture& architecture, int64_t longest) : architecture_(architecture) {
  PALIMPSEST_CHECK(architecture.rotary && longest > 0);
  const std::vector<float> frequencies = rotary_frequencies(*architecture.rotary, longest);
  const auto half = std::ssize(frequencies);
  cosine_ = at::empty({longest, half}, at::kFloat);
  sine_ = at::empty({longest, half}, at::kFloat);
  for (int64_t t = 0; t < longest; ++t) {
    for (int64_t i = 0; i < half; ++i) {
      const float angle = static_cast<float>(t) * frequencies[static_cast<size_t>(i)];
      cosine_.data_ptr<float>()[t * half + i] = std::cos(angle);
      sine_.data_ptr<float>()[t * half + i] = std::sin(angle);
    }
  }
}

at::Tensor Network::logits(const NetworkTensors& weights, const Shard& shard) const {
  const double epsilon = architecture_.norm_epsilon;
  const AttentionShape attention{.sequences = shard.sequences,
                                 .length = shard.length,
                                 .heads = architecture_.num_heads,
                                 .head_dim = architecture_.head_dim,
                                 .scale = architecture_.attention_scale};
  at::Tensor hidden = at::index_select(weights.embedding, 0, view_of(shard.ids));  // [B · T, D]
  for (const LayerTensors& layer : weights.layers) {
    const at::Tensor qkv =
        at::linear(rms_norm(hidden, layer.attention_norm, epsilon), layer.query_key_value);
    const at::Tensor attended = causal_attention(qkv, cosine_, sine_, attention);
    hidden = hidden + at::linear(attended, layer.attention_out);
    const at::Tensor gate_up = at::linear(rms_norm(hidden, layer.mlp_norm, epsilon), layer.gate_up);
    hidden = hidden + at::linear(gated_silu(gate_up), layer.down);
  }
  const at::Tensor labelled = at::index_select(hidden, 0, view_of(shard.rows));
  return at::linear(rms_norm(labelled, weights.final_norm, epsilon), weights.head);
}

at::Tensor log_probabilities(const at::Tensor& logits, const Shard& shard) {
  return at::log_softmax(logits, -1).gather(1, view_of(shard.targets).unsqueeze(1)).squeeze(1);
}

at::Tensor sequence_sums(const at::Tensor& log_probabilities, const Shard& shard) {
  return at::zeros({shard.sequences}, at::kFloat)
      .index_add(0, view_of(shard.owners), log_probabilities);
}

}  // namespace palimpsest::lab
