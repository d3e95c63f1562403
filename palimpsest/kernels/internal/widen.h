// Converts weights between their stored type and float32, without loss.
#pragma once

#include <cstddef>
#include <cstdint>

#include "palimpsest/kernels/dtype.h"

namespace palimpsest::kernels {

// Converts n numbers of type `dtype` at `bytes` (of any alignment) to float32. Returns false if one
// of them is not finite.
bool widen(DType dtype, const std::byte* bytes, int64_t n, float* out);

// The inverse: converts n finite numbers that came from widen(dtype, …) back to that 16-bit type.
void narrow(DType dtype, const float* numbers, int64_t n, uint16_t* out);

}  // namespace palimpsest::kernels
