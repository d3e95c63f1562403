// C = A B and C += A B for matrices that stay in the cache of one core: the pieces of products,
// attention and Gram matrices. One thread; whoever calls has split the work already.
//
// B comes as panels of kPanel columns, [k, kPanel] each with a row stride, so that the same loop
// reads a packed panel (stride kPanel) or columns of a wider row-major matrix. A may be transposed
// by its strides.
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

// c [m, kPanel] (row stride ldc) = or += a [m, k] · panel [k, kPanel] (row stride ldb). The product
// is summed by itself, from the first term to the last.
void multiply_panel(const StridedMatrix& a, int64_t m, int64_t k, const float* panel, int64_t ldb,
                    float* c, int64_t ldc, bool accumulate);

// The transpose of x [rows, columns] (row stride ldx) as packed panels:
// out[(r / kPanel) · columns · kPanel + c · kPanel + r % kPanel] = x(r, c), missing rows 0.
// Size: round_up_to_panel(rows) · columns.
void pack_transposed(const float* x, int64_t ldx, int64_t rows, int64_t columns, float* out);

// x [rows, columns] (row stride ldx) with rows filled up by zeros to round_up_to_panel(columns).
void pack_rows(const float* x, int64_t ldx, int64_t rows, int64_t columns, float* out);

float dot(const float* a, const float* b, int64_t n);
void add_scaled(float* y, const float* x, float scale, int64_t n);  // y += scale · x

}  // namespace palimpsest::kernels
