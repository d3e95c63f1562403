#include "palimpsest/lab/row_kernels.h"

#include <algorithm>
#include <cmath>

#include "palimpsest/base/vector_math.h"

namespace palimpsest::lab {
namespace {

constexpr float kLargestExponent = 87;

// Σ f(i) in lanes, which compilers may not make of one running sum.
template <class Function>
PALIMPSEST_INLINE float lane_sum(int64_t n, Function f) {
  constexpr int64_t kLanes = 16;
  float lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += f(i + lane);
  }
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  for (; i < n; ++i) sum += f(i);
  return sum;
}

PALIMPSEST_INLINE float bounded_exp(float y) {
  return fast_exp(clamp_to(y, -kLargestExponent, kLargestExponent));
}

}  // namespace

PALIMPSEST_VECTOR_CLONES
void rms_norm_rows(const float* x, const float* w, int64_t n, int64_t d, float epsilon, float* y,
                   float* inverse) {
  for (int64_t r = 0; r < n; ++r, x += d, y += d) {
    const float power = lane_sum(d, [=](int64_t i) { return x[i] * x[i]; });
    const float scale = 1 / std::sqrt(power / static_cast<float>(d) + epsilon);
    inverse[r] = scale;
    for (int64_t i = 0; i < d; ++i) y[i] = x[i] * scale * w[i];
  }
}

PALIMPSEST_VECTOR_CLONES
void rms_norm_backward_rows(const RmsNormBackward& arrays, int64_t n, int64_t d) {
  const float* __restrict w = arrays.w;
  float* __restrict dw = arrays.dw;
  for (int64_t r = 0; r < n; ++r) {
    const float* __restrict x = arrays.x + r * d;
    const float* __restrict dy = arrays.dy + r * d;
    float* __restrict dx = arrays.dx + r * d;
    const float scale = arrays.inverse[r];
    const float along = lane_sum(d, [=](int64_t i) { return dy[i] * w[i] * x[i]; });
    const float pull = along * scale * scale / static_cast<float>(d);
    for (int64_t i = 0; i < d; ++i) {
      dw[i] += dy[i] * x[i] * scale;
      dx[i] = scale * (dy[i] * w[i] - x[i] * pull);
    }
  }
}

PALIMPSEST_VECTOR_CLONES
void gated_silu_rows(const float* both, int64_t n, int64_t m, float* out, float* sigma) {
  for (int64_t r = 0; r < n; ++r) {
    const float* __restrict gate = both + r * 2 * m;
    float* __restrict s = sigma + r * m;
    float* __restrict to = out + r * m;
    for (int64_t i = 0; i < m; ++i) {
      s[i] = 1 / (1 + bounded_exp(-gate[i]));
      to[i] = gate[i] * s[i] * gate[m + i];
    }
  }
}

PALIMPSEST_VECTOR_CLONES
void gated_silu_backward_rows(const float* both, const float* sigma, const float* dout, int64_t n,
                              int64_t m, float* dboth) {
  for (int64_t r = 0; r < n; ++r) {
    const float* __restrict gate = both + r * 2 * m;
    const float* __restrict s = sigma + r * m;
    const float* __restrict from = dout + r * m;
    float* __restrict to = dboth + r * 2 * m;
    for (int64_t i = 0; i < m; ++i) {
      to[i] = from[i] * gate[m + i] * s[i] * (1 + gate[i] * (1 - s[i]));
      to[m + i] = from[i] * gate[i] * s[i];
    }
  }
}

PALIMPSEST_VECTOR_CLONES
void turn_row(const float* from, float* to, const Turn& turn) {
  const int64_t half = turn.half;
  const float* __restrict cosine = turn.cosine;
  const float* __restrict sine = turn.sine;
  for (int64_t i = 0; i < half; ++i) {
    const float s = turn.sign * sine[i];
    const float first = from[i];
    const float second = from[i + half];
    to[i] = turn.scale * (first * cosine[i] - second * s);
    to[i + half] = turn.scale * (second * cosine[i] + first * s);
  }
}

PALIMPSEST_VECTOR_CLONES
void causal_softmax_rows(float* scores, int64_t rows, int64_t length) {
  for (int64_t r = 0; r < rows; ++r) {
    float* row = scores + r * length;
    const int64_t seen = r % length + 1;
    float highest = row[0];
    for (int64_t i = 1; i < seen; ++i) highest = std::max(highest, row[i]);
    for (int64_t i = 0; i < seen; ++i) row[i] = bounded_exp(row[i] - highest);
    const float share = 1 / lane_sum(seen, [=](int64_t i) { return row[i]; });
    for (int64_t i = 0; i < seen; ++i) row[i] *= share;
    for (int64_t i = seen; i < length; ++i) row[i] = 0;
  }
}

PALIMPSEST_VECTOR_CLONES
void softmax_backward_rows(const float* weights, float* gradient, int64_t rows, int64_t length) {
  for (int64_t r = 0; r < rows; ++r) {
    const float* __restrict p = weights + r * length;
    float* __restrict g = gradient + r * length;
    const float along = lane_sum(length, [=](int64_t i) { return p[i] * g[i]; });
    for (int64_t i = 0; i < length; ++i) g[i] = p[i] * (g[i] - along);
  }
}

}  // namespace palimpsest::lab
