#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
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

#include <limits>
#include <tuple>

#include "palimpsest/base/error.h"
#include "palimpsest/torch/ops.h"

namespace palimpsest::torch {
namespace {

at::Tensor tensor_of(const std::vector<float>& numbers, std::vector<int64_t> shape,
                     const at::Device& device) {
  return at::from_blob(const_cast<float*>(numbers.data()), shape, at::kFloat)
      .to(device, false, true);
}

// Norms, rotations, the softmax and the vocabulary's sums are taken in float32 whatever the type;
// products are in the type of the tensors.
class PortableOps : public Ops {
 public:
  PortableOps(const Architecture& architecture, const at::TensorOptions& options)
      : a_(architecture), options_(options) {}

  at::TensorOptions options() const override { return options_; }
  bool is_plain() const override { return false; }

  void norm(const NormWeights& norm, const at::Tensor& x, at::Tensor& out) override {
    out.copy_(normalized(norm, x));
  }

  void multiply(const at::Tensor& x, const at::Tensor& weight, at::Tensor& out) override {
    out.copy_(at::mm(x, weight.t()));
  }

  void multiply_add(const at::Tensor& x, const at::Tensor& weight, at::Tensor& out) override {
    out.add_(at::mm(x, weight.t()));
  }

  void prepare_attention(const LayerWeights& layer, const RotaryTable& rotary,
                         at::Tensor& qkv) override {
    const int64_t rows = qkv.size(0);
    const int64_t queries = a_.num_heads * a_.head_dim;
    const int64_t keys = a_.num_kv_heads * a_.head_dim;
    if (layer.query_key_value.bias.defined()) qkv.add_(layer.query_key_value.bias);
    if (layer.query_norm.weight.defined()) {
      norm_heads(layer.query_norm, qkv.narrow(1, 0, queries));
      norm_heads(layer.key_norm, qkv.narrow(1, queries, keys));
    }
    if (rotary.half == 0) return;
    const at::Tensor cosine = tensor_of(rotary.cosine, {rows, 1, rotary.half}, qkv.device());
    const at::Tensor sine = tensor_of(rotary.sine, {rows, 1, rotary.half}, qkv.device());
    at::Tensor heads =
        qkv.narrow(1, 0, queries + keys).view({rows, a_.num_heads + a_.num_kv_heads, a_.head_dim});
    at::Tensor left = heads.narrow(2, 0, rotary.half);
    at::Tensor right = heads.narrow(2, rotary.half, rotary.half);
    const at::Tensor a = left.to(at::kFloat);
    const at::Tensor b = right.to(at::kFloat);
    const at::Tensor turned = a * cosine - b * sine;
    right.copy_(b * cosine + a * sine);
    left.copy_(turned);  // last: a may be the same memory
  }

  void attention(int64_t layer, const Batch& batch, const at::Tensor& qkv, at::Tensor& out,
                 at::Tensor& log_sums) override {
    PALIMPSEST_CHECK(!log_sums.defined());
    append_to_caches(layer, batch, qkv);
    for (const Segment& segment : batch.segments) attend(layer, segment, qkv, out);
  }

  void activate(const at::Tensor& bias, at::Tensor& in, at::Tensor& out) override {
    if (bias.defined()) in.add_(bias);
    const int64_t size = out.size(1);
    at::Tensor activated = activation(a_.gated_mlp ? in.narrow(1, 0, size) : in);
    if (a_.gated_mlp) activated = activated * in.narrow(1, size, size);
    out.copy_(activated);
  }

  void add_residual(const at::Tensor& bias, const NormWeights& post_norm, at::Tensor& x,
                    at::Tensor& hidden) override {
    if (bias.defined()) x.add_(bias);
    hidden.add_(post_norm.weight.defined() ? normalized(post_norm, x) : x);
  }

  void finish_logits(const at::Tensor& bias, at::Tensor& tile) override {
    if (bias.defined()) tile.add_(bias);
    if (a_.logit_softcap) tile.copy_(at::tanh(tile / *a_.logit_softcap) * *a_.logit_softcap);
  }

  void reduce(int64_t first, at::Tensor& tile, std::span<const int64_t> labels,
              std::span<kernels::VocabularyState> states) override {
    const int64_t n = tile.size(1);
    const at::Tensor x = tile.to(at::kFloat);
    const auto [top, argmax] = x.max(1, true);
    const at::Tensor d = x - top;
    at::Tensor e = at::exp(d);
    // What the label contributes is kept apart.
    at::Tensor label_columns = at::empty({tile.size(0), 1}, at::kLong);
    for (size_t i = 0; i < labels.size(); ++i) {
      const bool here = labels[i] >= first && labels[i] < first + n;
      label_columns.data_ptr<int64_t>()[i] = here ? labels[i] - first : 0;
    }
    label_columns = label_columns.to(tile.device());
    const at::Tensor label_logits = x.gather(1, label_columns).to(at::kCPU);
    for (size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] < first || labels[i] >= first + n) continue;
      e[static_cast<int64_t>(i)][labels[i] - first] = 0;
    }
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
      if (labels[i] >= first && labels[i] < first + n) {
        more.label_logit = label_logits.data_ptr<float>()[i];
        more.label = std::exp(static_cast<double>(more.label_logit) - row[0]);
      }
      kernels::take_in_sums(states[i], more);
    }
  }

 private:
  at::Tensor normalized(const NormWeights& norm, const at::Tensor& x) const {
    at::Tensor wide = x.to(at::kFloat);
    if (a_.norm == NormKind::kLayer) wide = wide - wide.mean(-1, true);
    wide = wide * at::rsqrt((wide * wide).mean(-1, true) + a_.norm_epsilon);
    at::Tensor weight = norm.weight.to(at::kFloat);
    if (a_.norm == NormKind::kRmsPlus) weight = weight + 1;
    wide = wide * weight;
    if (norm.bias.defined()) wide = wide + norm.bias.to(at::kFloat);
    return wide.to(x.scalar_type());
  }

  void norm_heads(const NormWeights& norm, at::Tensor part) const {
    const int64_t width = norm.weight.numel();
    at::Tensor heads = part.reshape({part.size(0), part.size(1) / width, width});
    part.copy_(normalized(norm, heads).reshape(part.sizes()));
  }

  at::Tensor activation(const at::Tensor& x) const {
    switch (a_.activation) {
      case Activation::kSilu:
        return at::silu(x);
      case Activation::kGelu:
        return at::gelu(x);
      case Activation::kGeluTanh:
        return at::gelu(x, "tanh");
      case Activation::kRelu:
        return at::relu(x);
    }
    return x;
  }

  void append_to_caches(int64_t layer, const Batch& batch, const at::Tensor& qkv) const {
    const int64_t queries = a_.num_heads * a_.head_dim;
    const int64_t width = a_.num_kv_heads * a_.head_dim;
    for (const Segment& segment : batch.segments) {
      if (!segment.cache) continue;
      KvCache& cache = *segment.cache;
      cache.reserve(layer, segment.cached + segment.count, segment.cached, width, qkv.options());
      const at::Tensor rows = qkv.narrow(0, segment.row, segment.count);
      cache.keys[layer]
          .narrow(0, segment.cached, segment.count)
          .copy_(rows.narrow(1, queries, width));
      cache.values[layer]
          .narrow(0, segment.cached, segment.count)
          .copy_(rows.narrow(1, queries + width, width));
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
    const int64_t window = a_.windows[static_cast<size_t>(layer)];
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

  void attend(int64_t layer, const Segment& segment, const at::Tensor& qkv, at::Tensor& out) const {
    const int64_t queries = a_.num_heads * a_.head_dim;
    const int64_t width = a_.num_kv_heads * a_.head_dim;
    const at::Tensor rows = qkv.narrow(0, segment.row, segment.count);
    std::vector<at::Tensor> keys;
    std::vector<at::Tensor> values;
    const auto add_cache = [&](const KvCache& cache, int64_t count) {
      keys.push_back(cache.keys[layer].narrow(0, 0, count));
      values.push_back(cache.values[layer].narrow(0, 0, count));
    };
    for (const CachedTokens& tokens : segment.context) add_cache(*tokens.cache, tokens.count);
    if (segment.cache) {
      add_cache(*segment.cache, segment.cached + segment.count);
    } else {
      keys.push_back(rows.narrow(1, queries, width));
      values.push_back(rows.narrow(1, queries + width, width));
    }
    // [heads, tokens, head_dim]; each key/value head serves a group of query heads.
    const auto by_head = [&](const std::vector<at::Tensor>& parts) {
      const at::Tensor all = at::cat(parts, 0);
      return all.view({all.size(0), a_.num_kv_heads, a_.head_dim})
          .transpose(0, 1)
          .repeat_interleave(a_.num_heads / a_.num_kv_heads, 0);
    };
    const at::Tensor q = rows.narrow(1, 0, queries)
                             .reshape({segment.count, a_.num_heads, a_.head_dim})
                             .transpose(0, 1);
    at::Tensor scores =
        at::matmul(q, by_head(keys).transpose(1, 2)).to(at::kFloat) * a_.attention_scale;
    if (a_.attention_softcap)
      scores = at::tanh(scores / *a_.attention_softcap) * *a_.attention_softcap;
    const at::Tensor hidden = visible(layer, segment).logical_not().to(qkv.device());
    scores.masked_fill_(hidden, -std::numeric_limits<float>::infinity());
    const at::Tensor p = at::softmax(scores, -1).to(qkv.scalar_type());
    out.narrow(0, segment.row, segment.count)
        .copy_(at::matmul(p, by_head(values)).transpose(0, 1).reshape({segment.count, queries}));
  }

  const Architecture& a_;
  at::TensorOptions options_;
};

}  // namespace

std::unique_ptr<Ops> make_portable_ops(const Architecture& architecture,
                                       const at::TensorOptions& options) {
  return std::make_unique<PortableOps>(architecture, options);
}

}  // namespace palimpsest::torch
