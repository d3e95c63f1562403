// The types of numbers that weights are stored and kept in.
#pragma once

#include <cstdint>
#include <string_view>

namespace palimpsest::kernels {

enum class DType { kFloat32, kFloat16, kBFloat16 };

int64_t byte_size(DType dtype);         // of one number
std::string_view name_of(DType dtype);  // "float32"

}  // namespace palimpsest::kernels
