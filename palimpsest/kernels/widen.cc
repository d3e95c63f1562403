#include "palimpsest/kernels/internal/widen.h"

#include <bit>
#include <cstring>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/vector_math.h"

namespace palimpsest::kernels {
namespace {

// Infinity and NaN have every bit of the exponent set.
PALIMPSEST_INLINE uint32_t is_bad(uint32_t bits) {
  return (bits & 0x7F800000U) == 0x7F800000U;
}

PALIMPSEST_INLINE uint32_t half_at(const std::byte* bytes, int64_t i) {
  uint16_t half;
  std::memcpy(&half, bytes + 2 * i, 2);
  return half;
}

PALIMPSEST_INLINE uint32_t copy_float_loop(const std::byte* bytes, int64_t n, float* out) {
  std::memcpy(out, bytes, sizeof(float) * static_cast<size_t>(n));
  uint32_t bad = 0;
  for (int64_t i = 0; i < n; ++i) bad |= is_bad(std::bit_cast<uint32_t>(out[i]));
  return bad;
}

uint32_t copy_float(const std::byte* bytes, int64_t n, float* out) {
  PALIMPSEST_FOR_EACH_CPU(copy_float_loop(bytes, n, out));
}

PALIMPSEST_INLINE uint32_t widen_bfloat16_loop(const std::byte* bytes, int64_t n, float* out) {
  uint32_t bad = 0;
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t bits = half_at(bytes, i) << 16U;
    bad |= is_bad(bits);
    out[i] = std::bit_cast<float>(bits);
  }
  return bad;
}

uint32_t widen_bfloat16(const std::byte* bytes, int64_t n, float* out) {
  PALIMPSEST_FOR_EACH_CPU(widen_bfloat16_loop(bytes, n, out));
}

// Exponent and fraction moved to their places mean the number times 2^-112, subnormal ones too;
// one exact multiplication puts that right.
PALIMPSEST_INLINE uint32_t widen_float16_loop(const std::byte* bytes, int64_t n, float* out) {
  uint32_t bad = 0;
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t half = half_at(bytes, i);
    bad |= (half & 0x7C00U) == 0x7C00U ? 1U : 0U;
    const float size = std::bit_cast<float>((half & 0x7FFFU) << 13U) * 0x1.0p112F;
    out[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(size) | (half & 0x8000U) << 16U);
  }
  return bad;
}

uint32_t widen_float16(const std::byte* bytes, int64_t n, float* out) {
  PALIMPSEST_FOR_EACH_CPU(widen_float16_loop(bytes, n, out));
}

PALIMPSEST_INLINE void narrow_bfloat16_loop(const float* numbers, int64_t n, uint16_t* out) {
  for (int64_t i = 0; i < n; ++i) {
    out[i] = static_cast<uint16_t>(std::bit_cast<uint32_t>(numbers[i]) >> 16U);
  }
}

// widen_float16 backwards.
PALIMPSEST_INLINE void narrow_float16_loop(const float* numbers, int64_t n, uint16_t* out) {
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(numbers[i]);
    const float size = std::bit_cast<float>(bits & 0x7FFFFFFFU) * 0x1.0p-112F;
    out[i] =
        static_cast<uint16_t>((std::bit_cast<uint32_t>(size) >> 13U) | ((bits >> 16U) & 0x8000U));
  }
}

}  // namespace

void narrow(DType dtype, const float* numbers, int64_t n, uint16_t* out) {
  PALIMPSEST_CHECK(dtype != DType::kFloat32);
  PALIMPSEST_FOR_EACH_CPU(dtype == DType::kBFloat16 ? narrow_bfloat16_loop(numbers, n, out)
                                                    : narrow_float16_loop(numbers, n, out));
}

bool widen(DType dtype, const std::byte* bytes, int64_t n, float* out) {
  switch (dtype) {
    case DType::kFloat32:
      return copy_float(bytes, n, out) == 0;
    case DType::kFloat16:
      return widen_float16(bytes, n, out) == 0;
    case DType::kBFloat16:
      return widen_bfloat16(bytes, n, out) == 0;
  }
  return false;
}

}  // namespace palimpsest::kernels
