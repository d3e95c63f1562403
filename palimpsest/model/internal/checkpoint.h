// The weights of a checkpoint folder. They are in model.safetensors, or in the shards that
// model.safetensors.index.json names. If there is no index, they are in all files from
// model-00001-of-0000N.safetensors on. Opening maps the files and checks every length and offset.
// Weights are read only on request. Pickle files are never opened; the error message says how to
// convert them.
//
// A checkpoint is immutable, and threads may share it. Views stay valid as long as it or a copy
// exists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/kernels/dtype.h"

namespace palimpsest::model {

// A row-major tensor in a mapped file. Its bytes may be unaligned: copy the numbers out, never cast
// the pointer.
struct StoredTensor {
  std::string name;
  kernels::DType dtype = kernels::DType::kFloat32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;  // byte_size(dtype) · product of the shape
};

class Checkpoint {
 public:
  // Throws Error if there are no weights (the message says what the folder has instead), if a file
  // is truncated or inconsistent, or if the index and a shard disagree about a tensor.
  static Checkpoint open(const std::filesystem::path& folder);
  // Opens a single safetensors file of any name, such as an adapter's.
  static Checkpoint open_file(const std::filesystem::path& file);

  // `name` may also be an alias: another name that the file's __metadata__ gives for a tensor, as
  // for tied weights. Returns nullptr if there is no such tensor. Throws Error if the tensor's type
  // is not a DType; the message names the type.
  const StoredTensor* find(std::string_view name) const;

  // The names of all tensors in the order of the files, including tensors of unsupported types.
  std::vector<std::string> names() const;
  int64_t file_bytes() const;  // the total size of all files
  // The paths of the files.
  const std::vector<std::filesystem::path>& files() const;
  // Tells the system that the memory pages of a tensor are no longer needed. Without this hint, a
  // model larger than memory would evict the cached pages of other files.
  void release(const StoredTensor& tensor) const;

 private:
  struct Impl;
  explicit Checkpoint(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace palimpsest::model
