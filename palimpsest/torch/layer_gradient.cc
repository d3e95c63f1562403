#include "palimpsest/torch/layer_gradient.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>

#include "palimpsest/torch/tensor_product.h"

namespace palimpsest::torch {
namespace {

constexpr int64_t kGrain = 16;

}  // namespace

LayerGradient::LayerGradient(const Architecture& architecture, const Batch& batch,
                             const RotaryTable& rotary, LinearGradients& parameters,
                             WorkerPool& pool)
    : a_(architecture),
      batch_(batch),
      rotary_(rotary),
      parameters_(parameters),
      pool_(pool),
      attention_(architecture, pool),
      product_(pool) {}

at::Tensor LayerGradient::normed(const NormWeights& norm, const at::Tensor& x, Ops& ops) const {
  if (!norm.weight.defined()) return x;
  at::Tensor out = at::empty_like(x);
  ops.norm(norm, x, out);
  return out;
}

at::Tensor LayerGradient::back_through(const LinearWeights& linear, const at::Tensor& dy) {
  at::Tensor dx = at::empty({dy.size(0), linear.weight.size(1)}, dy.options());
  product_.run(backward_product(dy, linear.weight, dx));
  return dx;
}

at::Tensor LayerGradient::through_post_norm(const std::optional<NormSpec>& spec, int64_t layer,
                                            const NormWeights& weights, const at::Tensor& before,
                                            const at::Tensor& dh) {
  if (!spec) return dh;
  at::Tensor gradient = at::empty_like(dh);
  parameters_.norm(*spec, layer, norm_kernel(a_, weights), before, dh, gradient, false);
  return gradient;
}

void LayerGradient::run(int64_t layer, const LayerWeights& w, LayerTape& tape, Ops& ops,
                        at::Tensor& dh) {
  const LayerSpec& spec = a_.layer;
  const auto norm_backward = [&](const std::optional<NormSpec>& norm, const NormWeights& weights,
                                 const at::Tensor& x, const at::Tensor& dy) {
    if (norm) {
      parameters_.norm(*norm, layer, norm_kernel(a_, weights), x, dy, dh, true);
    } else {
      dh += dy;
    }
  };
  const at::Tensor attention_input = normed(w.attention_norm, tape.hidden, ops);
  if (a_.parallel_block) {
    const at::Tensor mlp_input =
        spec.mlp_norm ? normed(w.mlp_norm, tape.hidden, ops) : attention_input;
    const at::Tensor outgoing = dh.clone();
    at::Tensor dmlp = mlp(layer, w, tape, mlp_input, outgoing);
    at::Tensor dattention = attention(layer, w, tape, attention_input, outgoing);
    if (spec.mlp_norm) {
      norm_backward(spec.mlp_norm, w.mlp_norm, tape.hidden, dmlp);
    } else {
      dattention += dmlp;  // one norm fed both
    }
    norm_backward(spec.attention_norm, w.attention_norm, tape.hidden, dattention);
    return;
  }
  const at::Tensor dmlp = mlp(layer, w, tape, normed(w.mlp_norm, tape.middle, ops), dh);
  norm_backward(spec.mlp_norm, w.mlp_norm, tape.middle, dmlp);
  const at::Tensor dattention = attention(layer, w, tape, attention_input, dh);
  norm_backward(spec.attention_norm, w.attention_norm, tape.hidden, dattention);
}

at::Tensor LayerGradient::mlp(int64_t layer, const LayerWeights& w, LayerTape& tape,
                              const at::Tensor& input, const at::Tensor& dout) {
  const LayerSpec& spec = a_.layer;
  const int64_t rows = batch_.rows();
  const at::Tensor dm =
      through_post_norm(spec.mlp_post_norm, layer, w.mlp_post_norm, tape.mlp_out, dout);
  at::Tensor activated = at::empty({rows, a_.mlp_size}, dm.options());
  const int64_t width = tape.mlp_in.size(1);
  float* in = tape.mlp_in.data_ptr<float>();
  float* out = activated.data_ptr<float>();
  pool_.for_ranges(rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      kernels::activate(a_.activation, a_.gated_mlp, in + row * width, a_.mlp_size,
                        out + row * a_.mlp_size);
    }
  });
  parameters_.linear(spec.mlp_out, layer, activated, dm);
  product_.run(backward_product(dm, w.mlp_out.weight, activated));  // now the activation's gradient
  pool_.for_ranges(rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      kernels::activate_backward(a_.activation, a_.gated_mlp, in + row * width, a_.mlp_size,
                                 out + row * a_.mlp_size, in + row * width);
    }
  });
  parameters_.linear(spec.mlp_in, layer, input, tape.mlp_in);
  at::Tensor dinput = back_through(w.mlp_in, tape.mlp_in);
  tape.mlp_in = at::Tensor();
  return dinput;
}

at::Tensor LayerGradient::attention(int64_t layer, const LayerWeights& w, LayerTape& tape,
                                    const at::Tensor& input, const at::Tensor& dout) {
  const LayerSpec& spec = a_.layer;
  const at::Tensor da = through_post_norm(spec.attention_post_norm, layer, w.attention_post_norm,
                                          tape.attention_out, dout);
  parameters_.linear(spec.attention_out, layer, tape.attended, da);
  const at::Tensor dattended = back_through(w.attention_out, da);
  at::Tensor dqkv = at::empty_like(tape.qkv);
  attention_.backward(layer, batch_, tape.qkv, tape.attended, tape.log_sums, dattended, dqkv);
  before_attention(layer, w, tape, dqkv);
  parameters_.linear(spec.query_key_value, layer, input, dqkv);
  at::Tensor dinput = back_through(w.query_key_value, dqkv);
  tape = LayerTape{.hidden = tape.hidden, .middle = tape.middle};
  return dinput;
}

// Back through the rotation and the norms of queries and keys; bias gradients come from what is
// left in dqkv.
void LayerGradient::before_attention(int64_t layer, const LayerWeights& w, const LayerTape& tape,
                                     at::Tensor& dqkv) {
  const int64_t width = dqkv.size(1);
  const int64_t queries = a_.num_heads * a_.head_dim;
  const int64_t keys = a_.num_kv_heads * a_.head_dim;
  const float* bias = data_or_null(w.query_key_value.bias);
  const bool has_norms = w.query_norm.weight.defined();
  const kernels::Norm query_norm = has_norms ? norm_kernel(a_, w.query_norm) : kernels::Norm();
  const kernels::Norm key_norm = has_norms ? norm_kernel(a_, w.key_norm) : kernels::Norm();
  GradientNorms& norms = parameters_.norms();
  pool_.run(static_cast<int64_t>(parameters_.examples().size()), [&](int64_t unit, int) {
    const ExampleRows& rows = parameters_.examples()[static_cast<size_t>(unit)];
    std::vector<float> query_weight(static_cast<size_t>(query_norm.width));
    std::vector<float> key_weight(static_cast<size_t>(key_norm.width));
    std::vector<float> before(static_cast<size_t>(has_norms ? width : 0));
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      float* x = dqkv.data_ptr<float>() + row * width;
      for (int64_t head = 0; head < a_.num_heads + a_.num_kv_heads && rotary_.half > 0; ++head) {
        kernels::rotate(x + head * a_.head_dim, rotary_.cosine.data() + row * rotary_.half,
                        rotary_.sine.data() + row * rotary_.half, rotary_.half, true);
      }
      if (!has_norms) continue;
      std::copy_n(tape.projected.data_ptr<float>() + row * width, width, before.data());
      if (bias != nullptr) kernels::add(before.data(), bias, width);
      for (int64_t at = 0; at < queries; at += query_norm.width) {
        kernels::normalize_backward(query_norm, before.data() + at, x + at, x + at, false,
                                    query_weight.data(), nullptr);
      }
      for (int64_t at = queries; at < queries + keys; at += key_norm.width) {
        kernels::normalize_backward(key_norm, before.data() + at, x + at, x + at, false,
                                    key_weight.data(), nullptr);
      }
    }
    if (!has_norms) return;
    norms.add(rows.example, norms.parameter(layer_name(a_.layer.query_norm->weight, layer)),
              query_weight);
    norms.add(rows.example, norms.parameter(layer_name(a_.layer.key_norm->weight, layer)),
              key_weight);
  });
}

}  // namespace palimpsest::torch
