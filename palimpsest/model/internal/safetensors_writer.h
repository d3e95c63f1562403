// Writes safetensors files that parse_safetensors() and the reference implementation can read. They
// hold float32 tensors without gaps, in the given order.
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
  std::span<const float> values;  // as many as the product of the shape; not owned
};

// Replaces the file atomically. The names must differ. Throws SystemError if it cannot be written.
void write_safetensors(const std::filesystem::path& path, std::span<const FloatTensor> tensors);

}  // namespace palimpsest::model
