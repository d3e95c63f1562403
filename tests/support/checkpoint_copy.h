// A golden checkpoint in a folder of the test's own, to be spoilt before it is loaded.
#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/kernels/internal/widen.h"
#include "palimpsest/model/internal/checkpoint.h"
#include "tests/support/golden_models.h"
#include "tests/support/safetensors_file.h"
#include "tests/support/temp_folder.h"

namespace palimpsest {

inline TestTensor floats(const std::string& name, const std::vector<int64_t>& shape,
                         const std::vector<float>& numbers) {
  std::string bytes(numbers.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return {name, "F32", shape, bytes};
}

class CheckpointCopy {
 public:
  explicit CheckpointCopy(const std::string& golden)
      : config(parse_json(read_file(golden_model_folder(golden) / "config.json"), "config.json")) {
    const model::Checkpoint checkpoint = model::Checkpoint::open(golden_model_folder(golden));
    for (const std::string& name : checkpoint.names()) {
      const model::StoredTensor* found = nullptr;
      try {
        found = checkpoint.find(name);
      } catch (const Error&) {
        continue;  // a buffer of another type, which no model reads
      }
      const model::StoredTensor& view = *found;
      const char* dtype = view.dtype == kernels::DType::kFloat32   ? "F32"
                          : view.dtype == kernels::DType::kFloat16 ? "F16"
                                                                   : "BF16";
      tensors.push_back({name,
                         dtype,
                         view.shape,
                         {reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size()}});
    }
  }

  TestTensor& tensor(const std::string& name) {
    return *std::ranges::find(tensors, name, &TestTensor::name);
  }
  void remove(const std::string& name) {
    std::erase_if(tensors, [&](const TestTensor& tensor) { return tensor.name == name; });
  }
  // Every number of a float32 tensor, or one of them.
  void fill(const std::string& name, float number) {
    TestTensor& target = tensor(name);
    for (size_t i = 0; i < target.bytes.size() / sizeof(float); ++i) set(name, i, number);
  }
  void set(const std::string& name, size_t index, float number) {
    std::memcpy(tensor(name).bytes.data() + index * sizeof(float), &number, sizeof(float));
  }
  // Every float32 tensor in a 16-bit type, rounded towards zero.
  void store_in(kernels::DType dtype) {
    for (TestTensor& target : tensors) {
      if (target.dtype != "F32") continue;
      std::vector<float> wide(target.bytes.size() / sizeof(float));
      std::memcpy(wide.data(), target.bytes.data(), target.bytes.size());
      std::vector<uint16_t> narrow(wide.size());
      kernels::narrow(dtype, wide.data(), static_cast<int64_t>(wide.size()), narrow.data());
      target.bytes.assign(reinterpret_cast<const char*>(narrow.data()), 2 * narrow.size());
      target.dtype = dtype == kernels::DType::kFloat16 ? "F16" : "BF16";
    }
  }
  void add_adapter(const std::string& adapter_config, const std::vector<TestTensor>& updates) {
    folder.write("adapter_config.json", adapter_config);
    folder.write("adapter_model.safetensors", safetensors_of(updates));
  }

  // The folder with everything as it is now.
  std::filesystem::path write() const {
    folder.write("config.json", config.dump());
    folder.write("model.safetensors", safetensors_of(tensors));
    return folder.path();
  }

  Json config;
  std::vector<TestTensor> tensors;
  TempFolder folder;
};

}  // namespace palimpsest
