#include "palimpsest/kernels/internal/tile.h"

#include <algorithm>

#include "palimpsest/base/internal/vector_math.h"
#include "palimpsest/kernels/internal/transpose.h"

namespace palimpsest::kernels {
namespace {

// The loop for one kind of vector unit: kBytes a register, kRows rows of A at a time, so that the
// accumulators fill the registers without spilling.
template <int kBytes>
struct Vector {
  using Type [[gnu::vector_size(kBytes), gnu::aligned(4), gnu::may_alias]] = float;
  static constexpr int kCount = 64 / kBytes;  // registers a panel row
  static constexpr int kFloats = kBytes / 4;
};

template <int kBytes, int kRows>
PALIMPSEST_INLINE void multiply_rows(const StridedMatrix& a, int64_t k, const float* panel,
                                     int64_t ldb, float* c, int64_t ldc, bool accumulate) {
  using Unit = Vector<kBytes>;
  using V = typename Unit::Type;
  V sum[kRows][Unit::kCount] = {};
  const float* left = a.data;
  // Rows of A may come from memory that no cache has seen yet, a line here and a line there: the
  // next ones are asked for while these are multiplied.
  constexpr int64_t kLine = 16;
  const bool ask = a.column == 1 && kRows > 1;
  for (int64_t j = 0; j < k; ++j, left += a.column, panel += ldb) {
    if (ask && j % kLine == 0) {
      for (int i = 0; i < kRows; ++i) __builtin_prefetch(left + (kRows + i) * a.row);
    }
    V b[Unit::kCount];
    for (int v = 0; v < Unit::kCount; ++v) {
      b[v] = *reinterpret_cast<const V*>(panel + v * Unit::kFloats);
    }
    for (int i = 0; i < kRows; ++i) {
      for (int v = 0; v < Unit::kCount; ++v) sum[i][v] += left[i * a.row] * b[v];
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < Unit::kCount; ++v) {
      V* to = reinterpret_cast<V*>(c + i * ldc + v * Unit::kFloats);
      *to = accumulate ? *to + sum[i][v] : sum[i][v];
    }
  }
}

template <int kBytes, int kRows>
PALIMPSEST_INLINE void multiply_all(StridedMatrix a, int64_t m, int64_t k, const float* panel,
                                    int64_t ldb, float* c, int64_t ldc, bool accumulate) {
  while (m >= kRows) {
    multiply_rows<kBytes, kRows>(a, k, panel, ldb, c, ldc, accumulate);
    a.data += kRows * a.row;
    c += kRows * ldc;
    m -= kRows;
  }
  while (m >= 4) {
    multiply_rows<kBytes, 4>(a, k, panel, ldb, c, ldc, accumulate);
    a.data += 4 * a.row;
    c += 4 * ldc;
    m -= 4;
  }
  if (m == 3) multiply_rows<kBytes, 3>(a, k, panel, ldb, c, ldc, accumulate);
  if (m == 2) multiply_rows<kBytes, 2>(a, k, panel, ldb, c, ldc, accumulate);
  if (m == 1) multiply_rows<kBytes, 1>(a, k, panel, ldb, c, ldc, accumulate);
}

// As many rows at a time as there are registers for.
PALIMPSEST_INLINE void multiply_baseline(const StridedMatrix& a, int64_t m, int64_t k,
                                         const float* panel, int64_t ldb, float* c, int64_t ldc,
                                         bool accumulate) {
  multiply_all<16, 4>(a, m, k, panel, ldb, c, ldc, accumulate);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void multiply_avx2(const StridedMatrix& a, int64_t m, int64_t k,
                                               const float* panel, int64_t ldb, float* c,
                                               int64_t ldc, bool accumulate) {
  multiply_all<32, 6>(a, m, k, panel, ldb, c, ldc, accumulate);
}

[[gnu::target("avx512f,avx2,fma")]] void multiply_avx512(const StridedMatrix& a, int64_t m,
                                                         int64_t k, const float* panel, int64_t ldb,
                                                         float* c, int64_t ldc, bool accumulate) {
  multiply_all<64, 12>(a, m, k, panel, ldb, c, ldc, accumulate);
}
#endif

}  // namespace

void multiply_panel(const StridedMatrix& a, int64_t m, int64_t k, const float* panel, int64_t ldb,
                    float* c, int64_t ldc, bool accumulate) {
#if defined(__x86_64__)
  const InstructionSet set = instruction_set();
  if (set == InstructionSet::kAvx512) {
    return multiply_avx512(a, m, k, panel, ldb, c, ldc, accumulate);
  }
  if (set == InstructionSet::kAvx2) {
    return multiply_avx2(a, m, k, panel, ldb, c, ldc, accumulate);
  }
#endif
  multiply_baseline(a, m, k, panel, ldb, c, ldc, accumulate);
}

void pack_transposed(const float* x, int64_t ldx, int64_t rows, int64_t columns, float* out) {
  for (int64_t first = 0; first < rows; first += kPanel, out += columns * kPanel) {
    const int64_t here = std::min(kPanel, rows - first);
    if (here < kPanel) std::fill_n(out, columns * kPanel, 0.0F);
    transpose(x + first * ldx, ldx, here, columns, out, kPanel);
  }
}

void pack_rows(const float* x, int64_t ldx, int64_t rows, int64_t columns, float* out) {
  const int64_t width = round_up_to_panel(columns);
  for (int64_t r = 0; r < rows; ++r, out += width) {
    std::copy_n(x + r * ldx, columns, out);
    std::fill(out + columns, out + width, 0.0F);
  }
}

PALIMPSEST_INLINE float dot_loop(const float* a, const float* b, int64_t n) {
  // Sums side by side, so that the additions do not wait for each other.
  constexpr int64_t kLanes = 64;
  float lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] += a[i + j] * b[i + j];
  }
  for (int64_t j = 0; i + j < n; ++j) lanes[j] += a[i + j] * b[i + j];
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t j = 0; j < width; ++j) lanes[j] += lanes[j + width];
  }
  return lanes[0];
}

float dot(const float* a, const float* b, int64_t n) {
  PALIMPSEST_FOR_EACH_CPU(dot_loop(a, b, n));
}

PALIMPSEST_INLINE void add_scaled_loop(float* y, const float* x, float scale, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] += scale * x[i];
}

void add_scaled(float* y, const float* x, float scale, int64_t n) {
  PALIMPSEST_FOR_EACH_CPU(add_scaled_loop(y, x, scale, n));
}

}  // namespace palimpsest::kernels
