// Makes safetensors files for tests, sound ones and others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/base/internal/json.h"

namespace palimpsest {

// The file with this header, whatever it holds.
inline std::string safetensors_with_header(const std::string& header, const std::string& data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(uint64_t{header.size()} >> (8 * i) & 0xff);
  return bytes + header + data;
}

struct TestTensor {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};

// A sound file: the tensors back to back, after texts for __metadata__.
inline std::string safetensors_of(const std::vector<TestTensor>& tensors,
                                  const Json& metadata = nullptr) {
  Json header = Json::object();
  if (!metadata.is_null()) header["__metadata__"] = metadata;
  std::string data;
  for (const TestTensor& tensor : tensors) {
    const size_t begin = data.size();
    data += tensor.bytes;
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  return safetensors_with_header(header.dump(), data);
}

// A float32 tensor of zeros.
inline TestTensor zeros(const std::string& name, const std::vector<int64_t>& shape) {
  int64_t bytes = 4;
  for (const int64_t extent : shape) bytes *= extent;
  return {name, "F32", shape, std::string(static_cast<size_t>(bytes), '\0')};
}

}  // namespace palimpsest
