// The loops of fused_ops.h over plain arrays, one copy for each generation of vector units.
#pragma once

#include <cstdint>

namespace palimpsest::lab {

// y = x / rms(x) · w for rows [n, d]; inverse[i] = 1 / rms of row i.
void rms_norm_rows(const float* x, const float* w, int64_t n, int64_t d, float epsilon, float* y,
                   float* inverse);

// With u = x/rms: dw += Σ_rows dy·u and dx = (w·dy - u · mean(u·w·dy)) / rms.
struct RmsNormBackward {
  const float* x;
  const float* w;
  const float* inverse;
  const float* dy;
  float* dx;
  float* dw;
};
void rms_norm_backward_rows(const RmsNormBackward& arrays, int64_t n, int64_t d);

// both: rows of gate and up, [n, 2m]. out = gate · σ(gate) · up [n, m]; sigma = σ(gate).
void gated_silu_rows(const float* both, int64_t n, int64_t m, float* out, float* sigma);
void gated_silu_backward_rows(const float* both, const float* sigma, const float* dout, int64_t n,
                              int64_t m, float* dboth);

// Turns pairs (i, i + half) by the angle and scales; a negated sine turns back.
struct Turn {
  const float* cosine;
  const float* sine;
  int64_t half;
  float sign;  // of the sine
  float scale;
};
void turn_row(const float* from, float* to, const Turn& turn);

// Rows of scores [rows, length], row r being position r % length: softmax over what it may see, 0
// beyond.
void causal_softmax_rows(float* scores, int64_t rows, int64_t length);

// Gradients with respect to the weights become those with respect to the scores, in place.
void softmax_backward_rows(const float* weights, float* gradient, int64_t rows, int64_t length);

}  // namespace palimpsest::lab
