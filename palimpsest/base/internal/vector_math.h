// For loops over many floats that shall run at the speed of the processor's widest vector units:
// a macro that compiles a loop once per instruction set, and functions that compilers vectorise
// because they have no branches.
#pragma once

#include <bit>
#include <cstdint>

#include "palimpsest/base/instruction_set.h"

#define PALIMPSEST_INLINE [[gnu::always_inline]] inline

// The whole body of a function: returns the value of `call`, the call of a PALIMPSEST_INLINE
// function, compiled for the instruction set in use. Plain lambdas rather than the compiler's own
// multiversioning, because a set can be asked for (use_instruction_set) and sanitizers and static
// programs work with them.
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
