#include "palimpsest/lab/network.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

#include "palimpsest/base/error.h"

namespace palimpsest::lab {
namespace {

// A view of numbers that somebody else owns; operators only read it.
at::Tensor view_of(const std::vector<int64_t>& values) {
  return at::from_blob(const_cast<int64_t*>(values.data()), {std::ssize(values)}, at::kLong);
}

// Turns pairs (i, i + head_dim / 2) of x [B, T, H, head_dim] by their positions' angles.
at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine) {
  const int64_t half = x.size(3) / 2;
  const at::Tensor first = x.narrow(3, 0, half);
  const at::Tensor second = x.narrow(3, half, half);
  return at::cat({first * cosine - second * sine, second * cosine + first * sine}, 3);
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
  cosine_ = at::empty({longest, 1, half}, at::kFloat);
  sine_ = at::empty({longest, 1, half}, at::kFloat);
  mask_ = at::full({longest, longest}, -std::numeric_limits<float>::infinity(), at::kFloat);
  for (int64_t t = 0; t < longest; ++t) {
    for (int64_t i = 0; i < half; ++i) {
      const float angle = static_cast<float>(t) * frequencies[static_cast<size_t>(i)];
      cosine_.data_ptr<float>()[t * half + i] = std::cos(angle);
      sine_.data_ptr<float>()[t * half + i] = std::sin(angle);
    }
    mask_.narrow(0, t, 1).narrow(1, 0, t + 1).fill_(0);
  }
}

at::Tensor Network::norm(const at::Tensor& hidden, const at::Tensor& weight) const {
  const at::Tensor power = (hidden * hidden).mean(-1, true);
  return hidden * at::rsqrt(power + architecture_.norm_epsilon) * weight;
}

at::Tensor Network::attend(const LayerTensors& layer, const at::Tensor& input,
                           const Shard& shard) const {
  const int64_t b = shard.sequences;
  const int64_t t = shard.length;
  const int64_t h = architecture_.num_heads;
  const int64_t head = architecture_.head_dim;
  const at::Tensor qkv =
      at::linear(input, layer.query_key_value).view({b, t, 3 * h, head});  // queries, keys, values
  const at::Tensor turned =
      rotate(qkv.narrow(2, 0, 2 * h), cosine_.narrow(0, 0, t), sine_.narrow(0, 0, t))
          .transpose(1, 2);  // [B, 2H, T, head]
  const at::Tensor queries = turned.narrow(1, 0, h);
  const at::Tensor keys = turned.narrow(1, h, h);
  const at::Tensor values = qkv.narrow(2, 2 * h, h).transpose(1, 2);
  const at::Tensor scores =
      at::matmul(queries * architecture_.attention_scale, keys.transpose(2, 3));  // [B, H, T, T]
  const at::Tensor weights = at::softmax(scores + mask_.narrow(0, 0, t).narrow(1, 0, t), -1);
  return at::linear(at::matmul(weights, values).transpose(1, 2).reshape({b * t, h * head}),
                    layer.attention_out);
}

at::Tensor Network::logits(const NetworkTensors& weights, const Shard& shard) const {
  at::Tensor hidden = at::index_select(weights.embedding, 0, view_of(shard.ids));  // [B · T, D]
  for (const LayerTensors& layer : weights.layers) {
    hidden = hidden + attend(layer, norm(hidden, layer.attention_norm), shard);
    const at::Tensor both = at::linear(norm(hidden, layer.mlp_norm), layer.gate_up);
    const int64_t m = both.size(1) / 2;
    hidden = hidden + at::linear(at::silu(both.narrow(1, 0, m)) * both.narrow(1, m, m), layer.down);
  }
  const at::Tensor labelled = at::index_select(hidden, 0, view_of(shard.rows));
  return at::linear(norm(labelled, weights.final_norm), weights.head);
}

at::Tensor log_probabilities(const at::Tensor& logits, const Shard& shard) {
  return at::log_softmax(logits, -1).gather(1, view_of(shard.targets).unsqueeze(1)).squeeze(1);
}

at::Tensor sequence_sums(const at::Tensor& log_probabilities, const Shard& shard) {
  return at::zeros({shard.sequences}, at::kFloat)
      .index_add(0, view_of(shard.owners), log_probabilities);
}

}  // namespace palimpsest::lab
