// Golden tensors: safetensors files under tests/golden, compressed (.safetensors.gz).
#pragma once

#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/base/internal/safetensors.h"
#include "tests/support/golden.h"

namespace palimpsest {

// All float32. `name` is relative to tests/golden: "gradients/llama.safetensors.gz".
inline std::map<std::string, std::vector<float>> read_golden_tensors(const std::string& name) {
  const std::string bytes = read_golden_bytes(name);
  std::map<std::string, std::vector<float>> tensors;
  for (const SafetensorsEntry& entry : parse_safetensors(std::as_bytes(std::span(bytes)), name)) {
    if (entry.dtype != "F32")
      throw Error({.what = "a golden tensor is not float32", .where = name});
    std::vector<float> numbers(entry.bytes.size() / sizeof(float));
    std::memcpy(numbers.data(), entry.bytes.data(), entry.bytes.size());
    tensors.emplace(entry.name, std::move(numbers));
  }
  return tensors;
}

}  // namespace palimpsest
