// Tools for loops over many floats that should use the processor's widest vector units: a macro
// that compiles a loop once per instruction set, and functions without branches, which compilers
// can vectorise.
#pragma once

#include <bit>
#include <cstdint>

#include "palimpsest/base/instruction_set.h"

#define PALIMPSEST_INLINE [[gnu::always_inline]] inline

// Used as the whole body of a function. It returns the value of `call`, which is a call of a
// PALIMPSEST_INLINE function, compiled for the instruction set in use. The macro uses plain lambdas
// instead of the compiler's own function multiversioning, because they allow a set to be chosen
// (use_instruction_set()) and work with sanitizers and in static programs.
#if defined(__x86_64__)
#define PALIMPSEST_FOR_EACH_CPU(call)                                               \
  switch (instruction_set()) {                                                      \
    case InstructionSet::kAvx512:                                                   \
      return [&]()                                                                  \
          __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2," \
                                "fma"))) {                                          \
        return call;                                                                \
      }                                                                             \
      ();                                                                           \
    case InstructionSet::kAvx2:                                                     \
      return [&]() __attribute__((target("avx2,fma"))) {                            \
        return call;                                                                \
      }                                                                             \
      ();                                                                           \
    case InstructionSet::kBaseline:                                                 \
      break;                                                                        \
  }                                                                                 \
  return call
#else
#define PALIMPSEST_FOR_EACH_CPU(call) return call
#endif

namespace palimpsest {

// exp(y) for -87 <= y <= 87. With y = n log 2 + r and |r| <= log(2)/2, the result is 2^n times a
// minimax polynomial of degree 6 for exp(r), whose relative error is 3e-9. NaN stays NaN.
PALIMPSEST_INLINE float fast_exp(float y) {
  constexpr float kLog2e = 1.44269504F;
  constexpr float kRound = 12582912.0F;      // 1.5 · 2^23: adding it rounds to an integer
  constexpr float kLog2High = 0.693359375F;  // has few bits, so that n · kLog2High is exact
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
  // The low bits of `shifted` are the integer n. Shifted up, they are the exponent of 2^n.
  return p * std::bit_cast<float>((std::bit_cast<uint32_t>(shifted) + 127U) << 23U);
}

// Clamps x to [low, high]. NaN stays NaN, which depends on the order of the comparisons.
PALIMPSEST_INLINE float clamp_to(float x, float low, float high) {
  const float above = low > x ? low : x;
  return high < above ? high : above;
}

}  // namespace palimpsest
