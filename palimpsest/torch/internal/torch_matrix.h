// The engine's matrices in libtorch's memory: a storage that holds a tensor, and both ways between a
// matrix and the tensor that shares its numbers. No arithmetic happens here.
#pragma once

#include <ATen/core/Tensor.h>

#include "palimpsest/engine/matrix.h"

namespace palimpsest::torch {

at::ScalarType scalar_type(kernels::DType dtype);

// The matrix of a tensor [rows, columns] whose rows are contiguous, in the same memory. Its numbers
// can be read from here if `readable`, which only memory of the host can be.
engine::Matrix matrix_of(const at::Tensor& tensor, bool readable = false);

// The tensor [rows, columns] of a matrix, in the same memory: one that matrix_of() made, a part of
// it, or one in host memory.
at::Tensor tensor_of(const engine::Matrix& matrix);

}  // namespace palimpsest::torch
