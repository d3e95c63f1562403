// C = A B and C += A B for matrices that fit into the cache of one core. Matmuls, attention and
// Gram matrices are built from these functions. They use one thread; the callers divide the work.
//
// B comes as panels of kPanel columns. A panel is [k, kPanel] with a row stride, so the same loop
// can read a packed panel (stride kPanel) or some columns of a wider row-major matrix. A may be
// transposed by its strides.
#pragma once

#include <cstdint>

namespace palimpsest::kernels {

constexpr int64_t kPanel = 16;

constexpr int64_t round_up_to_panel(int64_t n) {
  return (n + kPanel - 1) / kPanel * kPanel;
}

// a(i, j) is data[i * row + j * column].
struct StridedMatrix {
  const float* data = nullptr;
  int64_t row = 0;
  int64_t column = 1;
};

// c = a · panel, or c += a · panel if `accumulate` is set. a is [m, k], panel is [k, kPanel] with
// row stride ldb, and c is [m, kPanel] with row stride ldc. The product is summed separately, from
// the first term to the last, before it is added.
void multiply_panel(const StridedMatrix& a, int64_t m, int64_t k, const float* panel, int64_t ldb,
                    float* c, int64_t ldc, bool accumulate);

// Packs the transpose of x [rows, columns] (row stride ldx) into panels: out[(r / kPanel) · columns
// · kPanel + c · kPanel + r % kPanel] = x(r, c). Missing rows are 0. out has
// round_up_to_panel(rows) · columns numbers.
void pack_transposed(const float* x, int64_t ldx, int64_t rows, int64_t columns, float* out);

// Copies x [rows, columns] (row stride ldx) and fills each row with zeros up to
// round_up_to_panel(columns).
void pack_rows(const float* x, int64_t ldx, int64_t rows, int64_t columns, float* out);

float dot(const float* a, const float* b, int64_t n);
void add_scaled(float* y, const float* x, float scale, int64_t n);  // y += scale · x

}  // namespace palimpsest::kernels
