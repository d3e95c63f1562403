// Stored weights to float32, exactly.
#pragma once

#include <cstdint>

#include "palimpsest/model/checkpoint.h"

namespace palimpsest::kernels {

// Writes n numbers, of type `dtype` at `bytes` (any alignment), to out. False if one of them is not
// finite.
bool widen(DType dtype, const std::byte* bytes, int64_t n, float* out);

}  // namespace palimpsest::kernels
