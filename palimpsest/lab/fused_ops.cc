#include "palimpsest/lab/fused_ops.h"

#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "palimpsest/lab/row_kernels.h"

namespace palimpsest::lab {
namespace {

using ::torch::autograd::AutogradContext;
using ::torch::autograd::Function;
using ::torch::autograd::variable_list;

class RmsNorm : public Function<RmsNorm> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            double epsilon) {
    const int64_t n = x.size(0);
    const int64_t d = x.size(1);
    at::Tensor out = at::empty_like(x);
    at::Tensor inverse = at::empty({n}, x.options());  // 1 / rms of each row
    rms_norm_rows(x.data_ptr<float>(), weight.data_ptr<float>(), n, d, static_cast<float>(epsilon),
                  out.data_ptr<float>(), inverse.data_ptr<float>());
    context->save_for_backward({x, weight, inverse});
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor dy = gradients[0].contiguous();
    const int64_t n = x.size(0);
    const int64_t d = x.size(1);
    at::Tensor dx = at::empty_like(x);
    at::Tensor dw = at::zeros_like(saved[1]);
    rms_norm_backward_rows({.x = x.data_ptr<float>(),
                            .w = saved[1].data_ptr<float>(),
                            .inverse = saved[2].data_ptr<float>(),
                            .dy = dy.data_ptr<float>(),
                            .dx = dx.data_ptr<float>(),
                            .dw = dw.data_ptr<float>()},
                           n, d);
    return {dx, dw, at::Tensor()};
  }
};

class GatedSilu : public Function<GatedSilu> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& both) {
    const int64_t n = both.size(0);
    const int64_t m = both.size(1) / 2;
    at::Tensor out = at::empty({n, m}, both.options());
    at::Tensor gates = at::empty({n, m}, both.options());  // σ(gate)
    gated_silu_rows(both.data_ptr<float>(), n, m, out.data_ptr<float>(), gates.data_ptr<float>());
    context->save_for_backward({both, gates});
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& both = saved[0];
    const at::Tensor dy = gradients[0].contiguous();
    const int64_t n = both.size(0);
    const int64_t m = both.size(1) / 2;
    at::Tensor dboth = at::empty_like(both);
    gated_silu_backward_rows(both.data_ptr<float>(), saved[1].data_ptr<float>(),
                             dy.data_ptr<float>(), n, m, dboth.data_ptr<float>());
    return {dboth};
  }
};

// One head's row of head_dim numbers and its place among those of all heads.
struct HeadRow {
  const AttentionShape& shape;
  int64_t width() const { return 3 * shape.heads * shape.head_dim; }
  // In qkv [B · T, 3 · H · head_dim]; part 0: queries, 1: keys, 2: values.
  int64_t in_rows(int64_t b, int64_t t, int64_t part, int64_t h) const {
    return (b * shape.length + t) * width() + (part * shape.heads + h) * shape.head_dim;
  }
  // In [B · H, T, head_dim].
  int64_t in_heads(int64_t b, int64_t t, int64_t h) const {
    return ((b * shape.heads + h) * shape.length + t) * shape.head_dim;
  }
};

template <class Body>
void for_each_head_row(const AttentionShape& shape, Body body) {
  for (int64_t b = 0; b < shape.sequences; ++b) {
    for (int64_t t = 0; t < shape.length; ++t) {
      for (int64_t h = 0; h < shape.heads; ++h) body(b, t, h);
    }
  }
}

class CausalAttention : public Function<CausalAttention> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& qkv,
                            const at::Tensor& cosine, const at::Tensor& sine,
                            const AttentionShape& shape) {
    const HeadRow row{shape};
    const int64_t half = shape.head_dim / 2;
    const auto scale = static_cast<float>(shape.scale);
    const auto heads = [&] {
      return at::empty({shape.sequences * shape.heads, shape.length, shape.head_dim},
                       qkv.options());
    };
    at::Tensor q = heads();
    at::Tensor k = heads();
    at::Tensor v = heads();
    const float* from = qkv.data_ptr<float>();
    for_each_head_row(shape, [&](int64_t b, int64_t t, int64_t h) {
      const float* c = cosine.data_ptr<float>() + t * half;
      const float* s = sine.data_ptr<float>() + t * half;
      const int64_t to = row.in_heads(b, t, h);
      turn_row(from + row.in_rows(b, t, 0, h), q.data_ptr<float>() + to, {c, s, half, 1, scale});
      turn_row(from + row.in_rows(b, t, 1, h), k.data_ptr<float>() + to, {c, s, half, 1, 1});
      std::copy_n(from + row.in_rows(b, t, 2, h), shape.head_dim, v.data_ptr<float>() + to);
    });
    at::Tensor weights = at::bmm(q, k.transpose(1, 2));  // [B · H, T, T]
    causal_softmax_rows(weights.data_ptr<float>(), weights.size(0) * shape.length, shape.length);
    const at::Tensor attended = at::bmm(weights, v);  // [B · H, T, head_dim]
    at::Tensor out =
        at::empty({shape.sequences * shape.length, shape.heads * shape.head_dim}, qkv.options());
    for_each_head_row(shape, [&](int64_t b, int64_t t, int64_t h) {
      std::copy_n(
          attended.data_ptr<float>() + row.in_heads(b, t, h), shape.head_dim,
          out.data_ptr<float>() + ((b * shape.length + t) * shape.heads + h) * shape.head_dim);
    });
    context->save_for_backward({q, k, v, weights, cosine, sine});
    context->saved_data["sequences"] = shape.sequences;
    context->saved_data["heads"] = shape.heads;
    context->saved_data["scale"] = shape.scale;
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& q = saved[0];
    const at::Tensor& weights = saved[3];
    const AttentionShape shape{.sequences = context->saved_data["sequences"].toInt(),
                               .length = q.size(1),
                               .heads = context->saved_data["heads"].toInt(),
                               .head_dim = q.size(2),
                               .scale = context->saved_data["scale"].toDouble()};
    const HeadRow row{shape};
    const int64_t half = shape.head_dim / 2;
    const auto scale = static_cast<float>(shape.scale);
    const at::Tensor dout = gradients[0].contiguous();
    at::Tensor dattended = at::empty_like(q);
    for_each_head_row(shape, [&](int64_t b, int64_t t, int64_t h) {
      std::copy_n(
          dout.data_ptr<float>() + ((b * shape.length + t) * shape.heads + h) * shape.head_dim,
          shape.head_dim, dattended.data_ptr<float>() + row.in_heads(b, t, h));
    });
    const at::Tensor dv = at::bmm(weights.transpose(1, 2), dattended);
    at::Tensor dscores = at::bmm(dattended, saved[2].transpose(1, 2));
    softmax_backward_rows(weights.data_ptr<float>(), dscores.data_ptr<float>(),
                          weights.size(0) * shape.length, shape.length);
    const at::Tensor dq = at::bmm(dscores, saved[1]);
    const at::Tensor dk = at::bmm(dscores.transpose(1, 2), q);
    at::Tensor dqkv = at::empty({shape.sequences * shape.length, row.width()}, q.options());
    float* to = dqkv.data_ptr<float>();
    for_each_head_row(shape, [&](int64_t b, int64_t t, int64_t h) {
      const float* c = saved[4].data_ptr<float>() + t * half;
      const float* s = saved[5].data_ptr<float>() + t * half;
      const int64_t from = row.in_heads(b, t, h);
      turn_row(dq.data_ptr<float>() + from, to + row.in_rows(b, t, 0, h), {c, s, half, -1, scale});
      turn_row(dk.data_ptr<float>() + from, to + row.in_rows(b, t, 1, h), {c, s, half, -1, 1});
      std::copy_n(dv.data_ptr<float>() + from, shape.head_dim, to + row.in_rows(b, t, 2, h));
    });
    return {dqkv, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  return RmsNorm::apply(x, weight, epsilon);
}

at::Tensor gated_silu(const at::Tensor& gate_up) {
  return GatedSilu::apply(gate_up);
}

at::Tensor causal_attention(const at::Tensor& qkv, const at::Tensor& cosine, const at::Tensor& sine,
                            const AttentionShape& shape) {
  return CausalAttention::apply(qkv, cosine, sine, shape);
}

}  // namespace palimpsest::lab
