// The element-wise steps of a decoder on rows [begin, end) of row-major matrices: norms, rotary
// positions, activations and residual sums, forwards and backwards. Each function reads and writes
// its rows once. Nothing here starts threads.
//
// Some backward functions also compute the gradient of a norm's parameters. They add it up over the
// rows that they are given, so call them for the rows of one example at a time.
#pragma once

#include <cstdint>

#include "palimpsest/kernels/internal/layer_kinds.h"

namespace palimpsest::kernels {

// The parameters of a norm over `width` numbers.
struct Norm {
  NormKind kind = NormKind::kRms;
  const float* weight = nullptr;
  const float* bias = nullptr;  // may be null
  float epsilon = 1e-6F;
  int64_t width = 0;
};

// out = norm(x) for one row. out may be x.
void normalize(const Norm& norm, const float* x, float* out);

// The gradient of normalize(): computes dx from dy, and adds it to dx if `accumulate` is set. Adds
// to weight_gradient and bias_gradient, which may be null.
void normalize_backward(const Norm& norm, const float* x, const float* dy, float* dx,
                        bool accumulate, float* weight_gradient, float* bias_gradient);

void add(float* y, const float* x, int64_t n);  // y += x
void scale(float* y, float factor, int64_t n);  // y *= factor

// Rotates the first 2 · half numbers of a head: the pair (i, i + half) by the angle with the given
// cosine and sine. `backward` rotates in the opposite direction. A factor contained in cosine and
// sine (attention_factor) is applied in both directions.
void rotate(float* head, const float* cosine, const float* sine, int64_t half, bool backward);

// If gated: out = activation(in[0, size)) · in[size, 2 size). Otherwise: out = activation(in).
void activate(Activation activation, bool gated, const float* in, int64_t size, float* out);

// Computes the gradient with respect to `in` from the gradient with respect to `out`. din may be
// the same memory as in.
void activate_backward(Activation activation, bool gated, const float* in, int64_t size,
                       const float* dout, float* din);

// x becomes c · tanh(x / c), with c = cap.
void soft_cap(float* x, float cap, int64_t n);

}  // namespace palimpsest::kernels
