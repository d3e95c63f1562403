// For loops over many floats that shall run at the speed of the processor's widest vector units:
// a macro that makes one copy of a function for each generation of them, and functions that
// compilers vectorise because they have no branches.
#pragma once

#include <bit>
#include <cstdint>

// The copy is chosen when the program starts. Sanitizers do not work with the functions that
// choose, so there is one plain copy then.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#if !defined(__clang__)
#define PALIMPSEST_VECTOR_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#elif __has_attribute(target_clones) && !__has_feature(address_sanitizer) && \
    !__has_feature(thread_sanitizer)
#define PALIMPSEST_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef PALIMPSEST_VECTOR_CLONES
#define PALIMPSEST_VECTOR_CLONES
#endif
#define PALIMPSEST_INLINE [[gnu::always_inline]] inline

namespace palimpsest {

// exp(y) for -87 <= y <= 87: y = n log 2 + r with |r| <= log(2)/2, then 2^n times a minimax
// polynomial of degree 6 for exp(r) whose relative error is 3e-9. NaN stays NaN.
PALIMPSEST_INLINE float fast_exp(float y) {
  constexpr float kLog2e = 1.44269504F;
  constexpr float kRound = 12582912.0F;      // 1.5 · 2^23: adding it rounds to an integer
  constexpr float kLog2High = 0.693359375F;  // few bits, so that n · kLog2High is exact
  constexpr float kLog2Low = -2.12194440e-4F;
  const float shifted = y * kLog2e + kRound;
  const float n = shifted - kRound;
  const float r = (y - n * kLog2High) - n * kLog2Low;
  float p = 1.3814599e-3F;
  p = p * r + 8.3687169e-3F;
  p = p * r + 4.1668388e-2F;
  p = p * r + 1.6666521e-1F;
  p = p * r + 4.9999993e-1F;
  p = p * r * r + r + 1.0F;
  // The low bits of `shifted` are the integer n; moved up they are the exponent of 2^n.
  return p * std::bit_cast<float>((std::bit_cast<uint32_t>(shifted) + 127U) << 23U);
}

// Into [low, high]; NaN stays NaN (hence the order of comparing), so that no number is made of it.
PALIMPSEST_INLINE float clamp_to(float x, float low, float high) {
  const float above = low > x ? low : x;
  return high < above ? high : above;
}

}  // namespace palimpsest
