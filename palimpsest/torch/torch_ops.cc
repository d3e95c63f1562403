#include "palimpsest/torch/internal/torch_ops.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tanh.h>

#include <cmath>
#include <limits>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/torch/internal/torch_matrix.h"

namespace palimpsest::torch {
namespace {

using namespace engine;

// Norms, rotations, the softmax and the vocabulary's sums are taken in float32 whatever the type;
// products are in the type of the computation.
class TorchOps : public Ops {
 public:
  TorchOps(const model::Architecture& architecture, at::TensorOptions options)
      : architecture_(architecture), options_(std::move(options)) {}

  Matrix make(int64_t rows, int64_t columns) override {
    return matrix_of(at::empty({rows, columns}, options_));
  }

  Matrix to_device(const Matrix& host) override {
    return host.defined() ? matrix_of(tensor_of(host).to(options_)) : host;
  }

  Matrix gather(const Matrix& table, std::span<const int64_t> rows) override {
    return matrix_of(tensor_of(table).index_select(0, on_device(rows)));
  }

  void copy(const Matrix& from, const Matrix& to) override { tensor_of(to).copy_(tensor_of(from)); }

  bool uses_host_float32() const override { return false; }

  Matrix to_host(const Matrix& matrix) override {
    return matrix_of(tensor_of(matrix).to(at::kCPU, at::kFloat).contiguous(), true);
  }

  void scale(const Matrix& x, double factor) override { tensor_of(x).mul_(factor); }

  void add(const Matrix& x, const Matrix& y) override { tensor_of(y).add_(tensor_of(x)); }

  void norm(const NormWeights& norm, const Matrix& x, const Matrix& out) override {
    tensor_of(out).copy_(normalized(norm, tensor_of(x)));
  }

  void multiply(const Matrix& x, const Matrix& weight, const Matrix& out) override {
    tensor_of(out).copy_(at::mm(tensor_of(x), tensor_of(weight).t()));
  }

  void multiply_add(const Matrix& x, const Matrix& weight, const Matrix& out) override {
    tensor_of(out).add_(at::mm(tensor_of(x), tensor_of(weight).t()));
  }

  void prepare_attention(const LayerWeights& layer, const RotaryTable& rotary,
                         const Matrix& matrix) override {
    const at::Tensor qkv = tensor_of(matrix);
    const int64_t rows = qkv.size(0);
    const int64_t queries = architecture_.num_heads * architecture_.head_dim;
    const int64_t keys = architecture_.num_kv_heads * architecture_.head_dim;
    add_bias(layer.query_key_value.bias, qkv);
    if (layer.query_norm.weight.defined()) {
      norm_heads(layer.query_norm, qkv.narrow(1, 0, queries));
      norm_heads(layer.key_norm, qkv.narrow(1, queries, keys));
    }
    if (rotary.half == 0) return;
    const at::Tensor cosine = on_device(rotary.cosine).view({rows, 1, rotary.half});
    const at::Tensor sine = on_device(rotary.sine).view({rows, 1, rotary.half});
    const at::Tensor heads = qkv.narrow(1, 0, queries + keys)
                                 .view({rows, architecture_.num_heads + architecture_.num_kv_heads,
                                        architecture_.head_dim});
    const at::Tensor left = heads.narrow(2, 0, rotary.half);
    const at::Tensor right = heads.narrow(2, rotary.half, rotary.half);
    const at::Tensor a = left.to(at::kFloat);
    const at::Tensor b = right.to(at::kFloat);
    const at::Tensor turned = a * cosine - b * sine;
    right.copy_(b * cosine + a * sine);
    left.copy_(turned);  // last: a may be the same memory
  }

  void attention(int64_t layer, const Batch& batch, const Matrix& qkv, const Matrix& out,
                 const Matrix& log_sums) override {
    PALIMPSEST_CHECK(!log_sums.defined());
    append_to_caches(layer, batch, qkv);
    for (const Segment& segment : batch.segments) attend(layer, segment, qkv, out);
  }

  void activate(const LayerWeights& layer, const Matrix& in, const Matrix& out) override {
    const at::Tensor x = tensor_of(in);
    add_bias(layer.mlp_in.bias, x);
    const int64_t size = out.columns();
    const bool gated = layer.kind.gated_mlp;
    at::Tensor activated = activation(layer.kind.activation, gated ? x.narrow(1, 0, size) : x);
    if (gated) activated = activated * x.narrow(1, size, size);
    tensor_of(out).copy_(activated);
  }

  void add_residual(const Matrix& bias, const NormWeights& post_norm, const Matrix& matrix,
                    const Matrix& hidden) override {
    const at::Tensor x = tensor_of(matrix);
    add_bias(bias, x);
    tensor_of(hidden).add_(post_norm.weight.defined() ? normalized(post_norm, x) : x);
  }

  void finish_logits(const Matrix& bias, const Matrix& tile) override {
    const at::Tensor logits = tensor_of(tile);
    add_bias(bias, logits);
    if (architecture_.logit_softcap)
      logits.copy_(at::tanh(logits / *architecture_.logit_softcap) * *architecture_.logit_softcap);
  }

  void reduce(int64_t first, const Matrix& tile, std::span<const int64_t> labels,
              std::span<kernels::VocabularyState> states) override {
    const int64_t n = tile.columns();
    const at::Tensor x = tensor_of(tile).to(at::kFloat);
    const auto [top, argmax] = x.max(1, true);
    const at::Tensor d = x - top;
    const at::Tensor e = at::exp(d);
    // What the label contributes is kept apart: in the rows whose label is in this tile it becomes
    // 0.
    std::vector<int64_t> columns;
    std::vector<float> stays;
    for (const int64_t label : labels) {
      const bool here = label >= first && label < first + n;
      columns.push_back(here ? label - first : 0);
      stays.push_back(here ? 0 : 1);
    }
    const at::Tensor label_columns = on_device(columns).unsqueeze(1);
    const at::Tensor label_logits = x.gather(1, label_columns).to(at::kCPU).contiguous();
    e.scatter_(1, label_columns, e.gather(1, label_columns) * on_device(stays).unsqueeze(1));
    const at::Tensor sums =
        at::cat({top.to(at::kDouble), argmax.to(at::kDouble), e.sum(1, true, at::kDouble),
                 (e * d).sum(1, true, at::kDouble), (e * d * d).sum(1, true, at::kDouble)},
                1)
            .to(at::kCPU)
            .contiguous();
    for (size_t i = 0; i < labels.size(); ++i) {
      const double* row = sums.data_ptr<double>() + 5 * i;
      kernels::VocabularyState more{.max = static_cast<float>(row[0]),
                                    .argmax = first + static_cast<int64_t>(row[1]),
                                    .others = row[2],
                                    .others_d = row[3],
                                    .others_d2 = row[4]};
      if (stays[i] == 0) {
        more.label_logit = label_logits.data_ptr<float>()[i];
        more.label = std::exp(static_cast<double>(more.label_logit) - row[0]);
      }
      kernels::accumulate_sums(states[i], more);
    }
  }

 private:
  // A copy of host numbers [n] where the computation is.
  template <class Numbers>
  at::Tensor on_device(const Numbers& numbers) const {
    using Number = std::remove_const_t<typename Numbers::value_type>;
    const auto type = c10::CppTypeToScalarType<Number>::value;
    return at::from_blob(const_cast<Number*>(numbers.data()),
                         {static_cast<int64_t>(numbers.size())}, type)
        .to(options_.device(), type, false, true);
  }

  void add_bias(const Matrix& bias, const at::Tensor& x) const {
    if (bias.defined()) x.add_(tensor_of(bias));
  }

  at::Tensor normalized(const NormWeights& norm, const at::Tensor& x) const {
    at::Tensor wide = x.to(at::kFloat);
    if (norm.kind == kernels::NormKind::kLayer) wide = wide - wide.mean(-1, true);
    wide = wide * at::rsqrt((wide * wide).mean(-1, true) + norm.epsilon);
    at::Tensor weight = tensor_of(norm.weight).to(at::kFloat);
    if (norm.kind == kernels::NormKind::kRmsPlus) weight = weight + 1;
    wide = wide * weight;
    if (norm.bias.defined()) wide = wide + tensor_of(norm.bias).to(at::kFloat);
    return wide.to(x.scalar_type());
  }

  void norm_heads(const NormWeights& norm, const at::Tensor& part) const {
    const int64_t width = norm.weight.size();
    const at::Tensor heads = part.reshape({part.size(0), part.size(1) / width, width});
    part.copy_(normalized(norm, heads).reshape(part.sizes()));
  }

  static at::Tensor activation(kernels::Activation kind, const at::Tensor& x) {
    switch (kind) {
      case kernels::Activation::kSilu:
        return at::silu(x);
      case kernels::Activation::kGelu:
        return at::gelu(x);
      case kernels::Activation::kGeluTanh:
        return at::gelu(x, "tanh");
      case kernels::Activation::kRelu:
        return at::relu(x);
    }
    return x;
  }

  void append_to_caches(int64_t layer, const Batch& batch, const Matrix& qkv) {
    const int64_t queries = architecture_.num_heads * architecture_.head_dim;
    const int64_t width = architecture_.num_kv_heads * architecture_.head_dim;
    for (const Segment& segment : batch.segments) {
      if (!segment.cache) continue;
      KvCache& cache = *segment.cache;
      cache.reserve(layer, segment.cached + segment.count, segment.cached, width, *this);
      const Matrix rows = qkv.slice(segment.row, segment.count);
      const auto index = static_cast<size_t>(layer);
      copy(rows.slice_columns(queries, width),
           cache.keys[index].slice(segment.cached, segment.count));
      copy(rows.slice_columns(queries + width, width),
           cache.values[index].slice(segment.cached, segment.count));
    }
  }

  // [count, keys] on the CPU: which keys each query sees.
  at::Tensor visible(int64_t layer, const Segment& segment) const {
    const int64_t keys = segment.first() + segment.count;
    std::vector<uint8_t> hidden;
    const auto append = [&](const std::vector<uint8_t>& flags, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        hidden.push_back(flags.empty() ? 0 : flags[static_cast<size_t>(i)]);
      }
    };
    for (const CachedTokens& tokens : segment.context) append(tokens.cache->hidden, tokens.count);
    if (segment.cache) {
      append(segment.cache->hidden, segment.cached + segment.count);
    } else {
      append(segment.hidden, segment.count);
    }
    const int64_t window = architecture_.layer_kind(layer).window;
    at::Tensor mask = at::empty({segment.count, keys}, at::kBool);
    bool* seen = mask.data_ptr<bool>();
    for (int64_t i = 0; i < segment.count; ++i, seen += keys) {
      const int64_t index = segment.first() + i;
      bool any = false;
      for (int64_t j = 0; j < keys; ++j) {
        const bool in_reach = j <= index && (window == 0 || index - j < window);
        seen[j] = in_reach && hidden[static_cast<size_t>(j)] == 0;
        any = any || seen[j];
      }
      if (!any) seen[index] = true;
    }
    return mask;
  }

  void attend(int64_t layer, const Segment& segment, const Matrix& qkv, const Matrix& out) const {
    const int64_t queries = architecture_.num_heads * architecture_.head_dim;
    const int64_t width = architecture_.num_kv_heads * architecture_.head_dim;
    const Matrix rows = qkv.slice(segment.row, segment.count);
    std::vector<at::Tensor> keys;
    std::vector<at::Tensor> values;
    const auto add_cache = [&](const KvCache& cache, int64_t count) {
      keys.push_back(tensor_of(cache.keys[static_cast<size_t>(layer)].slice(0, count)));
      values.push_back(tensor_of(cache.values[static_cast<size_t>(layer)].slice(0, count)));
    };
    for (const CachedTokens& tokens : segment.context) add_cache(*tokens.cache, tokens.count);
    if (segment.cache) {
      add_cache(*segment.cache, segment.cached + segment.count);
    } else {
      keys.push_back(tensor_of(rows.slice_columns(queries, width)));
      values.push_back(tensor_of(rows.slice_columns(queries + width, width)));
    }
    // [heads, tokens, head_dim]; each key/value head serves a group of query heads.
    const auto by_head = [&](const std::vector<at::Tensor>& parts) {
      const at::Tensor all = at::cat(parts, 0);
      return all.view({all.size(0), architecture_.num_kv_heads, architecture_.head_dim})
          .transpose(0, 1)
          .repeat_interleave(architecture_.num_heads / architecture_.num_kv_heads, 0);
    };
    const at::Tensor q =
        tensor_of(rows.slice_columns(0, queries))
            .reshape({segment.count, architecture_.num_heads, architecture_.head_dim})
            .transpose(0, 1);
    at::Tensor scores =
        at::matmul(q, by_head(keys).transpose(1, 2)).to(at::kFloat) * architecture_.attention_scale;
    if (architecture_.attention_softcap)
      scores =
          at::tanh(scores / *architecture_.attention_softcap) * *architecture_.attention_softcap;
    const at::Tensor hidden = visible(layer, segment).logical_not().to(scores.device());
    scores.masked_fill_(hidden, -std::numeric_limits<float>::infinity());
    const at::Tensor p = at::softmax(scores, -1).to(q.scalar_type());
    tensor_of(out.slice(segment.row, segment.count))
        .copy_(at::matmul(p, by_head(values)).transpose(0, 1).reshape({segment.count, queries}));
  }

  const model::Architecture& architecture_;
  at::TensorOptions options_;
};

}  // namespace

std::unique_ptr<engine::Ops> make_torch_ops(const model::Architecture& architecture,
                                            const at::TensorOptions& options) {
  return std::make_unique<TorchOps>(architecture, options);
}

}  // namespace palimpsest::torch
