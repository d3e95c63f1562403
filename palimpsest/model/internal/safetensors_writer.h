// Writes safetensors files that parse_safetensors and the reference implementation read: float32
// tensors back to back, in the order given.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace palimpsest::model {

struct FloatTensor {
  std::string name;
  std::vector<int64_t> shape;
  std::span<const float> values;  // product of shape; the caller's
};

// Replaces the file in one step. The names must differ. Throws SystemError if it cannot be written.
void write_safetensors(const std::filesystem::path& path, std::span<const FloatTensor> tensors);

}  // namespace palimpsest::model
