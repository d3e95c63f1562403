// The number types of weights, in checkpoint files and in memory.
#pragma once

#include <cstdint>
#include <string_view>

namespace palimpsest::kernels {

enum class DType { kFloat32, kFloat16, kBFloat16 };

int64_t byte_size(DType dtype);         // the size of one number
std::string_view name_of(DType dtype);  // "float32"

}  // namespace palimpsest::kernels
