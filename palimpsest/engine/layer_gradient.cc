#include "palimpsest/engine/internal/layer_gradient.h"

#include <algorithm>

#include "palimpsest/engine/internal/matmul_tasks.h"

namespace palimpsest::engine {
namespace {

constexpr int64_t kRowsPerUnit = 16;

}  // namespace

void norm_backward(const NormBackward& norm, GradientSink& sink, WorkerPool& pool) {
  const kernels::Norm kernel = norm_kernel(norm.weights);
  const std::vector<ExampleRows>& examples = sink.examples();
  const auto count = static_cast<int64_t>(examples.size());
  const Matrix weight = host_zeros(count, kernel.width);
  const Matrix bias = norm.spec.bias ? host_zeros(count, kernel.width) : Matrix();
  pool.run(count, [&](int64_t e, int) {
    const ExampleRows& example = examples[static_cast<size_t>(e)];
    for (int64_t i = example.begin; i < example.end; ++i) {
      const int64_t row = norm.rows.empty() ? i : norm.rows[static_cast<size_t>(i)];
      kernels::normalize_backward(kernel, norm.x.row(row), norm.dy.row(i), norm.dx.row(row),
                                  norm.accumulate, weight.row(e),
                                  bias.defined() ? bias.row(e) : nullptr);
    }
  });
  sink.vector(model::layer_name(norm.spec.weight, norm.layer), weight);
  if (bias.defined()) sink.vector(model::layer_name(*norm.spec.bias, norm.layer), bias);
}

LayerGradient::LayerGradient(const model::Architecture& architecture, const Batch& batch,
                             const RotaryTables& rotaries, GradientSink& sink, Ops& ops,
                             WorkerPool& pool)
    : architecture_(architecture),
      batch_(batch),
      rotaries_(rotaries),
      sink_(sink),
      ops_(ops),
      pool_(pool),
      attention_(architecture, pool),
      matmul_(pool) {}

Matrix LayerGradient::normed(const NormWeights& norm, const Matrix& x) {
  if (!norm.weight.defined()) return x;
  Matrix out = memory_.make(x.rows(), x.columns());
  ops_.norm(norm, x, out);
  return out;
}

Matrix LayerGradient::back_through(const LinearWeights& linear, const Matrix& dy) {
  Matrix dx = memory_.make(dy.rows(), linear.weight.columns());
  matmul_.run(backward_matmul(dy, linear.weight, dx));
  return dx;
}

Matrix LayerGradient::through_post_norm(const std::optional<model::NormSpec>& spec, int64_t layer,
                                        const NormWeights& weights, const Matrix& before,
                                        const Matrix& dh) {
  if (!spec) return dh;
  Matrix gradient = memory_.make(dh.rows(), dh.columns());
  norm_backward(
      {.spec = *spec, .layer = layer, .weights = weights, .x = before, .dy = dh, .dx = gradient},
      sink_, pool_);
  return gradient;
}

void LayerGradient::run(int64_t layer, const LayerWeights& w, LayerTape& tape, Matrix& dh) {
  const model::LayerSpec& spec = architecture_.layer_spec(layer);
  const auto back_through_norm = [&](const std::optional<model::NormSpec>& norm,
                                     const NormWeights& weights, const Matrix& x,
                                     const Matrix& dy) {
    if (norm) {
      norm_backward({.spec = *norm,
                     .layer = layer,
                     .weights = weights,
                     .x = x,
                     .dy = dy,
                     .dx = dh,
                     .accumulate = true},
                    sink_, pool_);
    } else {
      ops_.add(dy, dh);
    }
  };
  const Matrix attention_input = normed(w.attention_norm, tape.hidden);
  if (w.kind.parallel_block) {
    const Matrix mlp_input = spec.mlp_norm ? normed(w.mlp_norm, tape.hidden) : attention_input;
    const Matrix outgoing = host_copy(dh);
    const Matrix dmlp = mlp(layer, w, tape, mlp_input, outgoing);
    const Matrix dattention = attention(layer, w, tape, attention_input, outgoing);
    if (spec.mlp_norm) {
      back_through_norm(spec.mlp_norm, w.mlp_norm, tape.hidden, dmlp);
    } else {
      ops_.add(dmlp, dattention);  // one norm fed both
    }
    back_through_norm(spec.attention_norm, w.attention_norm, tape.hidden, dattention);
    return;
  }
  const Matrix dmlp = mlp(layer, w, tape, normed(w.mlp_norm, tape.middle), dh);
  back_through_norm(spec.mlp_norm, w.mlp_norm, tape.middle, dmlp);
  const Matrix dattention = attention(layer, w, tape, attention_input, dh);
  back_through_norm(spec.attention_norm, w.attention_norm, tape.hidden, dattention);
}

Matrix LayerGradient::mlp(int64_t layer, const LayerWeights& w, LayerTape& tape,
                          const Matrix& input, const Matrix& dout) {
  const model::LayerSpec& spec = architecture_.layer_spec(layer);
  const int64_t rows = batch_.rows();
  const Matrix dm =
      through_post_norm(spec.mlp_post_norm, layer, w.mlp_post_norm, tape.mlp_out, dout);
  const int64_t mlp_size = w.kind.mlp_size;
  const Matrix activated = memory_.make(rows, mlp_size);
  const int64_t width = tape.mlp_in.columns();
  float* in = tape.mlp_in.data();
  float* out = activated.data();
  pool_.for_ranges(rows, kRowsPerUnit, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      kernels::activate(w.kind.activation, w.kind.gated_mlp, in + row * width, mlp_size,
                        out + row * mlp_size);
    }
  });
  sink_.linear(spec.mlp_out, layer, activated, dm);
  matmul_.run(backward_matmul(dm, w.mlp_out.weight, activated));  // now the activation's gradient
  pool_.for_ranges(rows, kRowsPerUnit, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      kernels::activate_backward(w.kind.activation, w.kind.gated_mlp, in + row * width, mlp_size,
                                 out + row * mlp_size, in + row * width);
    }
  });
  sink_.linear(spec.mlp_in, layer, input, tape.mlp_in);
  Matrix dinput = back_through(w.mlp_in, tape.mlp_in);
  tape.mlp_in = Matrix();
  return dinput;
}

Matrix LayerGradient::attention(int64_t layer, const LayerWeights& w, LayerTape& tape,
                                const Matrix& input, const Matrix& dout) {
  const model::LayerSpec& spec = architecture_.layer_spec(layer);
  const Matrix da = through_post_norm(spec.attention_post_norm, layer, w.attention_post_norm,
                                      tape.attention_out, dout);
  sink_.linear(spec.attention_out, layer, tape.attended, da);
  const Matrix dattended = back_through(w.attention_out, da);
  const Matrix dqkv = memory_.make(tape.qkv.rows(), tape.qkv.columns());
  attention_.backward(layer, batch_, tape.qkv, tape.attended, tape.log_sums, dattended, dqkv);
  before_attention(layer, w, tape, dqkv);
  sink_.linear(spec.query_key_value, layer, input, dqkv);
  Matrix dinput = back_through(w.query_key_value, dqkv);
  tape = LayerTape{.hidden = tape.hidden, .middle = tape.middle};
  return dinput;
}

// Back through the rotation and the norms of queries and keys; bias gradients come from what is
// left in dqkv.
void LayerGradient::before_attention(int64_t layer, const LayerWeights& w, const LayerTape& tape,
                                     const Matrix& dqkv) {
  const RotaryTable& rotary = rotaries_.of(w.kind);
  const int64_t width = dqkv.columns();
  const int64_t queries = architecture_.num_heads * architecture_.head_dim;
  const int64_t keys = architecture_.num_kv_heads * architecture_.head_dim;
  const float* bias = data_or_null(w.query_key_value.bias);
  const bool has_norms = w.query_norm.weight.defined();
  const kernels::Norm query_norm = has_norms ? norm_kernel(w.query_norm) : kernels::Norm();
  const kernels::Norm key_norm = has_norms ? norm_kernel(w.key_norm) : kernels::Norm();
  const auto examples = static_cast<int64_t>(sink_.examples().size());
  const Matrix query_weights = host_zeros(examples, query_norm.width);
  const Matrix key_weights = host_zeros(examples, key_norm.width);
  pool_.run(examples, [&](int64_t e, int) {
    const ExampleRows& rows = sink_.examples()[static_cast<size_t>(e)];
    std::vector<float> before(static_cast<size_t>(has_norms ? width : 0));
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      float* x = dqkv.row(row);
      for (int64_t head = 0;
           head < architecture_.num_heads + architecture_.num_kv_heads && rotary.half > 0; ++head) {
        kernels::rotate(x + head * architecture_.head_dim, rotary.cosine.data() + row * rotary.half,
                        rotary.sine.data() + row * rotary.half, rotary.half, true);
      }
      if (!has_norms) continue;
      std::copy_n(tape.projected.row(row), width, before.data());
      if (bias != nullptr) kernels::add(before.data(), bias, width);
      for (int64_t at = 0; at < queries; at += query_norm.width) {
        kernels::normalize_backward(query_norm, before.data() + at, x + at, x + at, false,
                                    query_weights.row(e), nullptr);
      }
      for (int64_t at = queries; at < queries + keys; at += key_norm.width) {
        kernels::normalize_backward(key_norm, before.data() + at, x + at, x + at, false,
                                    key_weights.row(e), nullptr);
      }
    }
  });
  if (!has_norms) return;
  const model::LayerSpec& spec = architecture_.layer_spec(layer);
  sink_.vector(model::layer_name(spec.query_norm->weight, layer), query_weights);
  sink_.vector(model::layer_name(spec.key_norm->weight, layer), key_weights);
}

}  // namespace palimpsest::engine
