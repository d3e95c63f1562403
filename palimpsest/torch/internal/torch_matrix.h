// The engine's matrices in libtorch's memory: a storage that holds a tensor, and conversions
// between a matrix and the tensor that shares its numbers. There is no arithmetic here.
#pragma once

#include <ATen/core/Tensor.h>

#include "palimpsest/engine/internal/matrix.h"

namespace palimpsest::torch {

at::ScalarType scalar_type(kernels::DType dtype);

// A matrix in the memory of a tensor [rows, columns], whose rows must be contiguous. If `readable`
// is set, the numbers can be read on the host; the tensor must then be in host memory.
engine::Matrix matrix_of(const at::Tensor& tensor, bool readable = false);

// A tensor [rows, columns] in the memory of a matrix. The matrix must come from matrix_of(), be a
// part of such a matrix, or be in host memory.
at::Tensor tensor_of(const engine::Matrix& matrix);

}  // namespace palimpsest::torch
