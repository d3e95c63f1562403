// The element-wise work of a decoder on rows [begin, end) of row-major matrices: norms, rotary
// positions, activations, residual sums, forwards and backwards. Each function reads and writes its
// rows once; nothing here starts threads.
//
// Backward functions that also give the gradient of a norm's parameters add it up over the rows
// they are given: call them for one example's rows at a time.
#pragma once

#include <cstdint>

#include "palimpsest/kernels/layer_kinds.h"

namespace palimpsest::kernels {

// The parameters of a norm over `width` numbers.
struct Norm {
  NormKind kind = NormKind::kRms;
  const float* weight = nullptr;
  const float* bias = nullptr;  // may be null
  float epsilon = 1e-6F;
  int64_t width = 0;
};

// out = norm(x), one row. In place is allowed.
void normalize(const Norm& norm, const float* x, float* out);

// The gradient of normalize: dx = or += d norm(x)/dx applied to dy. weight_gradient and
// bias_gradient (may be null) are added to.
void normalize_backward(const Norm& norm, const float* x, const float* dy, float* dx,
                        bool accumulate, float* weight_gradient, float* bias_gradient);

void add(float* y, const float* x, int64_t n);  // y += x
void scale(float* y, float factor, int64_t n);  // y *= factor

// Turns the first 2 · half numbers of a head: pair (i, i + half) by the angle whose cosine and sine
// are given. `backward` turns the other way (the factor in both stays).
void rotate(float* head, const float* cosine, const float* sine, int64_t half, bool backward);

// Gated: out = activation(in[0, size)) · in[size, 2 size); else out = activation(in).
void activate(Activation activation, bool gated, const float* in, int64_t size, float* out);

// Gradient with respect to `in` from that with respect to `out`; din may be in.
void activate_backward(Activation activation, bool gated, const float* in, int64_t size,
                       const float* dout, float* din);

// c · tanh(x / c)
void soft_cap(float* x, float cap, int64_t n);

}  // namespace palimpsest::kernels
