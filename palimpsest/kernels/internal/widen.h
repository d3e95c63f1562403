// Weights between the type that they are stored in and float32, exactly.
#pragma once

#include <cstddef>
#include <cstdint>

#include "palimpsest/kernels/dtype.h"

namespace palimpsest::kernels {

// Writes n numbers, of type `dtype` at `bytes` (any alignment), to out. False if one of them is not
// finite.
bool widen(DType dtype, const std::byte* bytes, int64_t n, float* out);

// The way back: n finite numbers that came out of widen(dtype, …) to that type, 16 bits wide.
void narrow(DType dtype, const float* numbers, int64_t n, uint16_t* out);

}  // namespace palimpsest::kernels
