#include "palimpsest/kernels/internal/rows.h"

#include <cmath>

#include "palimpsest/base/internal/vector_math.h"

namespace palimpsest::kernels {
namespace {

constexpr float kSmallest = -87.0F;
constexpr float kLargest = 87.0F;

PALIMPSEST_INLINE float sigmoid(float x) {
  return 1.0F / (1.0F + fast_exp(clamp_to(-x, kSmallest, kLargest)));
}

PALIMPSEST_INLINE float tanh_of(float x) {
  // Below 1/16 the difference of near-equal exponentials would lose digits: the odd series does
  // not.
  const float square = x * x;
  const float series = x * (1.0F + square * (-1.0F / 3 + square * (2.0F / 15 - square * 17 / 315)));
  const float e = fast_exp(clamp_to(2 * x, -40.0F, 40.0F));
  const float quotient = (e - 1) / (e + 1);
  return square < 0.00390625F ? series : quotient;
}

constexpr float kGeluCubic = 0.044715F;
constexpr float kRootTwoOverPi = 0.79788456F;
constexpr float kRootHalf = 0.70710678F;
constexpr float kDensityAtZero = 0.39894228F;  // 1 / sqrt(2 pi)

struct Silu {
  PALIMPSEST_INLINE static float value(float x) { return x * sigmoid(x); }
  PALIMPSEST_INLINE static float slope(float x) {
    const float s = sigmoid(x);
    return s * (1 + x * (1 - s));
  }
};

struct GeluTanh {
  PALIMPSEST_INLINE static float inner(float x) {
    return kRootTwoOverPi * (x + kGeluCubic * x * x * x);
  }
  PALIMPSEST_INLINE static float value(float x) { return 0.5F * x * (1 + tanh_of(inner(x))); }
  PALIMPSEST_INLINE static float slope(float x) {
    const float t = tanh_of(inner(x));
    const float inner_slope = kRootTwoOverPi * (1 + 3 * kGeluCubic * x * x);
    return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * inner_slope;
  }
};

// erf by formula 7.1.26 of Abramowitz and Stegun: off by at most 1.5e-7, about the rounding of a
// float near 1, and ten times as fast as std::erf, which is not vectorised.
PALIMPSEST_INLINE float erf_of(float x) {
  const float size = x < 0 ? -x : x;
  const float t = 1 / (1 + 0.3275911F * size);
  float p = 1.061405429F;
  p = p * t - 1.453152027F;
  p = p * t + 1.421413741F;
  p = p * t - 0.284496736F;
  p = p * t + 0.254829592F;
  const float result = 1 - p * t * fast_exp(clamp_to(-size * size, kSmallest, 0));
  return x < 0 ? -result : result;
}

struct Gelu {
  PALIMPSEST_INLINE static float value(float x) { return 0.5F * x * (1 + erf_of(x * kRootHalf)); }
  PALIMPSEST_INLINE static float slope(float x) {
    const float density = kDensityAtZero * fast_exp(clamp_to(-0.5F * x * x, kSmallest, 0));
    return 0.5F * (1 + erf_of(x * kRootHalf)) + x * density;
  }
};

struct Relu {
  PALIMPSEST_INLINE static float value(float x) { return 0 > x ? 0 : x; }  // NaN stays
  PALIMPSEST_INLINE static float slope(float x) { return x > 0 ? 1 : 0; }
};

template <class F>
PALIMPSEST_INLINE void activate_with(bool gated, const float* in, int64_t size, float* out) {
  if (gated) {
    for (int64_t i = 0; i < size; ++i) out[i] = F::value(in[i]) * in[size + i];
  } else {
    for (int64_t i = 0; i < size; ++i) out[i] = F::value(in[i]);
  }
}

template <class F>
PALIMPSEST_INLINE void activate_backward_with(bool gated, const float* in, int64_t size,
                                              const float* dout, float* din) {
  if (gated) {
    for (int64_t i = 0; i < size; ++i) {
      const float gate = in[i];
      const float other = in[size + i];
      din[i] = dout[i] * other * F::slope(gate);
      din[size + i] = dout[i] * F::value(gate);
    }
  } else {
    for (int64_t i = 0; i < size; ++i) din[i] = dout[i] * F::slope(in[i]);
  }
}

// Sums of many floats side by side, then in double: exact enough for a row of any width.
constexpr int64_t kLanes = 32;

template <class Term>
PALIMPSEST_INLINE double sum_of(int64_t n, Term term) {
  float lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] += term(i + j);
  }
  double sum = 0;
  for (; i < n; ++i) sum += static_cast<double>(term(i));
  for (const float lane : lanes) sum += static_cast<double>(lane);
  return sum;
}

// (x - mean) · factor is the normalised row.
struct Normalized {
  float mean = 0;
  float factor = 1;
};

PALIMPSEST_INLINE Normalized statistics(const Norm& norm, const float* x) {
  const int64_t n = norm.width;
  float mean = 0;
  if (norm.kind == NormKind::kLayer) {
    mean = static_cast<float>(sum_of(n, [&](int64_t i) { return x[i]; }) / static_cast<double>(n));
  }
  const double square =
      sum_of(n, [&](int64_t i) { return (x[i] - mean) * (x[i] - mean); }) / static_cast<double>(n);
  return {.mean = mean,
          .factor = static_cast<float>(1 / std::sqrt(square + static_cast<double>(norm.epsilon)))};
}

}  // namespace

PALIMPSEST_INLINE void normalize_loop(const Norm& norm, const float* x, float* out) {
  const Normalized row = statistics(norm, x);
  const float* weight = norm.weight;
  const float* bias = norm.bias;
  const float offset = norm.kind == NormKind::kRmsPlus ? 1.0F : 0.0F;
  if (bias != nullptr) {
    for (int64_t i = 0; i < norm.width; ++i) {
      out[i] = (x[i] - row.mean) * row.factor * weight[i] + bias[i];
    }
  } else {
    for (int64_t i = 0; i < norm.width; ++i) {
      out[i] = (x[i] - row.mean) * row.factor * (offset + weight[i]);
    }
  }
}

void normalize(const Norm& norm, const float* x, float* out) {
  PALIMPSEST_FOR_EACH_CPU(normalize_loop(norm, x, out));
}

// With u = (x - mean) · factor and g = dy · weight: dx = factor (g - mean(g) - u mean(g u)), the
// first mean only where the norm subtracts one.
PALIMPSEST_INLINE void normalize_backward_loop(const Norm& norm, const float* x, const float* dy,
                                               float* dx, bool accumulate, float* weight_gradient,
                                               float* bias_gradient) {
  const int64_t n = norm.width;
  const Normalized row = statistics(norm, x);
  const float* weight = norm.weight;
  const float offset = norm.kind == NormKind::kRmsPlus ? 1.0F : 0.0F;
  const double size = static_cast<double>(n);
  const auto g = [&](int64_t i) { return dy[i] * (offset + weight[i]); };
  const auto u = [&](int64_t i) { return (x[i] - row.mean) * row.factor; };
  const float along = static_cast<float>(sum_of(n, [&](int64_t i) { return g(i) * u(i); }) / size);
  const float level = norm.kind == NormKind::kLayer ? static_cast<float>(sum_of(n, g) / size) : 0;
  if (weight_gradient != nullptr) {
    for (int64_t i = 0; i < n; ++i) weight_gradient[i] += dy[i] * u(i);
  }
  if (bias_gradient != nullptr) {
    for (int64_t i = 0; i < n; ++i) bias_gradient[i] += dy[i];
  }
  if (accumulate) {
    for (int64_t i = 0; i < n; ++i) dx[i] += row.factor * (g(i) - level - u(i) * along);
  } else {
    for (int64_t i = 0; i < n; ++i) dx[i] = row.factor * (g(i) - level - u(i) * along);
  }
}

void normalize_backward(const Norm& norm, const float* x, const float* dy, float* dx,
                        bool accumulate, float* weight_gradient, float* bias_gradient) {
  PALIMPSEST_FOR_EACH_CPU(
      normalize_backward_loop(norm, x, dy, dx, accumulate, weight_gradient, bias_gradient));
}

PALIMPSEST_INLINE void add_loop(float* y, const float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] += x[i];
}

void add(float* y, const float* x, int64_t n) {
  PALIMPSEST_FOR_EACH_CPU(add_loop(y, x, n));
}

PALIMPSEST_INLINE void scale_loop(float* y, float factor, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] *= factor;
}

void scale(float* y, float factor, int64_t n) {
  PALIMPSEST_FOR_EACH_CPU(scale_loop(y, factor, n));
}

PALIMPSEST_INLINE void rotate_loop(float* head, const float* cosine, const float* sine,
                                   int64_t half, bool backward) {
  const float sign = backward ? -1.0F : 1.0F;
  for (int64_t i = 0; i < half; ++i) {
    const float a = head[i];
    const float b = head[half + i];
    head[i] = a * cosine[i] - b * sine[i] * sign;
    head[half + i] = b * cosine[i] + a * sine[i] * sign;
  }
}

void rotate(float* head, const float* cosine, const float* sine, int64_t half, bool backward) {
  PALIMPSEST_FOR_EACH_CPU(rotate_loop(head, cosine, sine, half, backward));
}

PALIMPSEST_INLINE void activate_loop(Activation activation, bool gated, const float* in,
                                     int64_t size, float* out) {
  switch (activation) {
    case Activation::kSilu:
      return activate_with<Silu>(gated, in, size, out);
    case Activation::kGelu:
      return activate_with<Gelu>(gated, in, size, out);
    case Activation::kGeluTanh:
      return activate_with<GeluTanh>(gated, in, size, out);
    case Activation::kRelu:
      return activate_with<Relu>(gated, in, size, out);
  }
}

void activate(Activation activation, bool gated, const float* in, int64_t size, float* out) {
  PALIMPSEST_FOR_EACH_CPU(activate_loop(activation, gated, in, size, out));
}

PALIMPSEST_INLINE void activate_backward_loop(Activation activation, bool gated, const float* in,
                                              int64_t size, const float* dout, float* din) {
  switch (activation) {
    case Activation::kSilu:
      return activate_backward_with<Silu>(gated, in, size, dout, din);
    case Activation::kGelu:
      return activate_backward_with<Gelu>(gated, in, size, dout, din);
    case Activation::kGeluTanh:
      return activate_backward_with<GeluTanh>(gated, in, size, dout, din);
    case Activation::kRelu:
      return activate_backward_with<Relu>(gated, in, size, dout, din);
  }
}

void activate_backward(Activation activation, bool gated, const float* in, int64_t size,
                       const float* dout, float* din) {
  PALIMPSEST_FOR_EACH_CPU(activate_backward_loop(activation, gated, in, size, dout, din));
}

PALIMPSEST_INLINE void soft_cap_loop(float* x, float cap, int64_t n) {
  const float inverse = 1 / cap;
  for (int64_t i = 0; i < n; ++i) x[i] = cap * tanh_of(x[i] * inverse);
}

void soft_cap(float* x, float cap, int64_t n) {
  PALIMPSEST_FOR_EACH_CPU(soft_cap_loop(x, cap, n));
}

}  // namespace palimpsest::kernels
