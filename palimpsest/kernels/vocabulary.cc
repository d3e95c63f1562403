#include "palimpsest/kernels/internal/vocabulary.h"

#include <algorithm>
#include <cmath>

#include "palimpsest/base/internal/vector_math.h"
#include "palimpsest/kernels/internal/rows.h"

namespace palimpsest::kernels {
namespace {

constexpr int64_t kLanes = 32;
// Logits summed in float before the sum goes on in double.
constexpr int64_t kPiece = 1024;

PALIMPSEST_INLINE float greatest_loop(const float* x, int64_t n) {
  float lanes[kLanes];
  for (float& lane : lanes) lane = x[0];
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] = x[i + j] > lanes[j] ? x[i + j] : lanes[j];
  }
  float top = lanes[0];
  for (const float lane : lanes) top = lane > top ? lane : top;
  for (; i < n; ++i) top = x[i] > top ? x[i] : top;
  return top;
}

float greatest(const float* x, int64_t n) {
  PALIMPSEST_FOR_EACH_CPU(greatest_loop(x, n));
}

struct Moments {
  float sum;
  float sum_d;
  float sum_d2;
};

// e^d must not be 0 times infinity; e^-87 is nothing beside the maximum's 1.
constexpr float kMinExponent = -87.0F;

template <int kWidth>
PALIMPSEST_INLINE void add_moments(const float* x, int64_t n, float max, float* e, float* sum,
                                   float* sum_d, float* sum_d2) {
  // A constant number of rounds lets the compiler keep everything in registers.
  const int64_t rounds = kWidth > 0 ? kWidth : n;
  for (int64_t j = 0; j < rounds; ++j) {
    const float d = clamp_to(x[j] - max, kMinExponent, 0);
    e[j] = fast_exp(d);
    sum[j] += e[j];
    sum_d[j] += e[j] * d;
    sum_d2[j] += e[j] * d * d;
  }
}

PALIMPSEST_INLINE Moments moments_of_loop(float* x, int64_t n, float max,
                                          const KeptExponentials& kept) {
  float sum[kLanes] = {};
  float sum_d[kLanes] = {};
  float sum_d2[kLanes] = {};
  float e[kLanes];
  for (int64_t i = 0; i < n; i += kLanes) {
    const int64_t here = std::min(kLanes, n - i);
    if (here == kLanes) {
      add_moments<kLanes>(x + i, here, max, e, sum, sum_d, sum_d2);
    } else {
      add_moments<0>(x + i, here, max, e, sum, sum_d, sum_d2);
    }
    if (!kept.keep) continue;
    if (kept.inverse_cap == 0) {
      std::copy_n(e, here, x + i);
    } else {
      for (int64_t j = 0; j < here; ++j) {
        const float t = x[i + j] * kept.inverse_cap;
        x[i + j] = e[j] * (1 - t * t);
      }
    }
  }
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t j = 0; j < width; ++j) {
      sum[j] += sum[j + width];
      sum_d[j] += sum_d[j + width];
      sum_d2[j] += sum_d2[j + width];
    }
  }
  return {sum[0], sum_d[0], sum_d2[0]};
}

Moments moments_of(float* x, int64_t n, float max, const KeptExponentials& kept) {
  PALIMPSEST_FOR_EACH_CPU(moments_of_loop(x, n, max, kept));
}

PALIMPSEST_INLINE bool has_nan_loop(const float* x, int64_t n) {
  int32_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += x[i] != x[i] ? 1 : 0;
  return count > 0;
}

bool has_nan(const float* x, int64_t n) {
  PALIMPSEST_FOR_EACH_CPU(has_nan_loop(x, n));
}

// The sums again with d measured from a maximum that is `rise` higher.
double raise_maximum(VocabularyState& state, double rise) {
  const double factor = std::exp(-rise);
  state.others_d2 =
      factor * (state.others_d2 - 2 * rise * state.others_d + rise * rise * state.others);
  state.others_d = factor * (state.others_d - rise * state.others);
  state.others *= factor;
  state.label *= factor;
  return factor;
}

void add_others(VocabularyState& state, float* x, int64_t n, const KeptExponentials& kept) {
  for (int64_t i = 0; i < n; i += kPiece) {
    const Moments piece = moments_of(x + i, std::min(kPiece, n - i), state.max, kept);
    state.others += static_cast<double>(piece.sum);
    state.others_d += static_cast<double>(piece.sum_d);
    state.others_d2 += static_cast<double>(piece.sum_d2);
  }
}

// p - q in place of x, times `weight` and the soft cap's slope; returns Σ q (log q - log p).
struct Distribution {
  float max;
  float scale;    // 1 / Σ e^d
  float log_sum;  // log Σ e^d
};

PALIMPSEST_INLINE float divergence_loop(float* x, const float* y, int64_t n, const Distribution& p,
                                        const Distribution& q, float weight, float inverse_cap) {
  float sums[kLanes] = {};
  for (int64_t i = 0; i < n; i += kLanes) {
    const int64_t here = std::min(kLanes, n - i);
    for (int64_t j = 0; j < here; ++j) {
      const float dx = clamp_to(x[i + j] - p.max, kMinExponent, 0);
      const float dy = clamp_to(y[i + j] - q.max, kMinExponent, 0);
      const float px = fast_exp(dx) * p.scale;
      const float qy = fast_exp(dy) * q.scale;
      sums[j] += qy * ((dy - q.log_sum) - (dx - p.log_sum));
      const float t = x[i + j] * inverse_cap;
      x[i + j] = weight * (px - qy) * (1 - t * t);
    }
  }
  float sum = 0;
  for (const float lane : sums) sum += lane;
  return sum;
}

float divergence(float* x, const float* y, int64_t n, const Distribution& p, const Distribution& q,
                 float weight, float inverse_cap) {
  PALIMPSEST_FOR_EACH_CPU(divergence_loop(x, y, n, p, q, weight, inverse_cap));
}

Distribution distribution_of(float* logits, int64_t n) {
  VocabularyState state;
  accumulate_tile(state, logits, 0, n, -1);
  return {.max = state.max,
          .scale = static_cast<float>(1 / state.sum()),
          .log_sum = static_cast<float>(std::log(state.sum()))};
}

}  // namespace

double likelihood_gradient(float* logits, int64_t n, int64_t label, float weight,
                           float inverse_cap) {
  VocabularyState state;
  accumulate_tile(state, logits, 0, n, label, {.keep = true, .inverse_cap = inverse_cap});
  const double share = static_cast<double>(weight) / state.sum();
  const double t = static_cast<double>(state.label_logit * inverse_cap);
  scale(logits, static_cast<float>(share), n);
  logits[label] = static_cast<float>(-share * state.others * (1 - t * t));
  return score_of(state).logprob;
}

double divergence_gradient(float* logits, float* others, int64_t n, float weight,
                           float inverse_cap) {
  const Distribution p = distribution_of(logits, n);
  const Distribution q = distribution_of(others, n);
  double sum = 0;
  for (int64_t i = 0; i < n; i += kPiece) {
    sum += static_cast<double>(
        divergence(logits + i, others + i, std::min(kPiece, n - i), p, q, weight, inverse_cap));
  }
  return sum;
}

float accumulate_tile(VocabularyState& state, float* tile, int64_t first, int64_t n, int64_t label,
                      const KeptExponentials& kept) {
  const float top = greatest(tile, n);
  double factor = 1;
  if (top > state.max) {
    state.argmax = first + (std::find(tile, tile + n, top) - tile);
    if (std::isfinite(state.max)) {
      factor = raise_maximum(state, static_cast<double>(top) - static_cast<double>(state.max));
    }
    state.max = top;
  }
  // NaN and infinities must not be lost in the clamping: they make the whole row undefined.
  if (has_nan(tile, n) || std::isinf(top)) state.others = std::numeric_limits<double>::quiet_NaN();
  const int64_t position = label - first;
  if (position < 0 || position >= n) {
    add_others(state, tile, n, kept);
  } else {
    state.label_logit = tile[position];
    const double d = static_cast<double>(tile[position]) - static_cast<double>(state.max);
    state.label = std::exp(d);
    add_others(state, tile, position, kept);
    add_others(state, tile + position + 1, n - position - 1, kept);
    if (kept.keep) tile[position] = 0;
  }
  return static_cast<float>(factor);
}

void accumulate_sums(VocabularyState& state, const VocabularyState& sums) {
  VocabularyState more = sums;
  if (more.max > state.max) {
    const double rise = static_cast<double>(more.max) - static_cast<double>(state.max);
    if (std::isfinite(state.max)) raise_maximum(state, rise);
    state.max = more.max;
    state.argmax = more.argmax;
  } else {
    raise_maximum(more, static_cast<double>(state.max) - static_cast<double>(more.max));
  }
  state.others += more.others;
  state.others_d += more.others_d;
  state.others_d2 += more.others_d2;
  if (!std::isnan(more.label_logit)) {
    state.label = more.label;
    state.label_logit = more.label_logit;
  }
}

TokenScore score_of(const VocabularyState& state) {
  const double log_sum = std::log(state.sum());
  const double d = static_cast<double>(state.label_logit) - static_cast<double>(state.max);
  const double mean_d = (state.others_d + state.label * d) / state.sum();
  const double mean_d2 = (state.others_d2 + state.label * d * d) / state.sum();
  return {.logprob = d == 0 ? -std::log1p(state.others) : d - log_sum,
          .mean = mean_d - log_sum,
          .var = std::max(0.0, mean_d2 - mean_d * mean_d)};
}

}  // namespace palimpsest::kernels
