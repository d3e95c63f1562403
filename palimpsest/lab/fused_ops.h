// The steps between matrix products, each as one differentiable operator: norm, attention of all
// heads, gated activation. Autograd on the single operations behind them spends more time on small
// temporary tensors than on the products.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace palimpsest::lab {

// x / rms(x) · weight over the rows of x [N, D].
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

// silu(gate) · up, [N, M], of both side by side, [N, 2M].
at::Tensor gated_silu(const at::Tensor& gate_up);

struct AttentionShape {
  int64_t sequences = 0;  // B
  int64_t length = 0;     // T
  int64_t heads = 0;      // H
  int64_t head_dim = 0;
  double scale = 1;  // of the scores
};

// Causal attention with rotary positions over B sequences of T tokens: queries, keys and values
// side by side in qkv [B · T, 3 · H · head_dim]; the angles' cosine and sine [T, head_dim / 2].
// Result: [B · T, H · head_dim].
at::Tensor causal_attention(const at::Tensor& qkv, const at::Tensor& cosine, const at::Tensor& sine,
                            const AttentionShape& shape);

}  // namespace palimpsest::lab
