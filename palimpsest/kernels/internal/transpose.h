// Transposes a matrix with vector instructions. The layouts of the matmul functions need it often.
#pragma once

#include <cstdint>

namespace palimpsest::kernels {

// out(c, r) = x(r, c) for x [rows, columns] with row stride ldx and out with row stride ldo.
void transpose(const float* x, int64_t ldx, int64_t rows, int64_t columns, float* out, int64_t ldo);

}  // namespace palimpsest::kernels
