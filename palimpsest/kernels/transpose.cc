#include "palimpsest/kernels/internal/transpose.h"

#include "palimpsest/base/internal/vector_math.h"

namespace palimpsest::kernels {
namespace {

constexpr int64_t kSide = 8;
using Eight [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = float;

// kSide x kSide numbers: neighbours change places, then pairs, then halves.
PALIMPSEST_INLINE void transpose_square(const float* x, int64_t ldx, float* out, int64_t ldo) {
  Eight row[kSide];
  Eight pair[kSide];
  for (int i = 0; i < kSide; ++i) row[i] = *reinterpret_cast<const Eight*>(x + i * ldx);
  for (int i = 0; i < kSide; i += 2) {
    pair[i] = __builtin_shufflevector(row[i], row[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    pair[i + 1] = __builtin_shufflevector(row[i], row[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < kSide; i += 4) {
    for (int j = i; j < i + 2; ++j) {
      row[j] = __builtin_shufflevector(pair[j], pair[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      row[j + 2] = __builtin_shufflevector(pair[j], pair[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < kSide / 2; ++i) {
    *reinterpret_cast<Eight*>(out + i * ldo) =
        __builtin_shufflevector(row[i], row[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    *reinterpret_cast<Eight*>(out + (i + 4) * ldo) =
        __builtin_shufflevector(row[i], row[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

}  // namespace

PALIMPSEST_INLINE void transpose_loop(const float* x, int64_t ldx, int64_t rows, int64_t columns,
                                      float* out, int64_t ldo) {
  int64_t r = 0;
  for (; r + kSide <= rows; r += kSide) {
    int64_t c = 0;
    for (; c + kSide <= columns; c += kSide) {
      transpose_square(x + r * ldx + c, ldx, out + c * ldo + r, ldo);
    }
    for (; c < columns; ++c) {
      for (int64_t i = r; i < r + kSide; ++i) out[c * ldo + i] = x[i * ldx + c];
    }
  }
  for (; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) out[c * ldo + r] = x[r * ldx + c];
  }
}

void transpose(const float* x, int64_t ldx, int64_t rows, int64_t columns, float* out,
               int64_t ldo) {
  PALIMPSEST_FOR_EACH_CPU(transpose_loop(x, ldx, rows, columns, out, ldo));
}

}  // namespace palimpsest::kernels
