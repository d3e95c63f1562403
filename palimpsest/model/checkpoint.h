// The weights of a checkpoint folder: model.safetensors, or the shards that
// model.safetensors.index.json names. Opening maps the files and checks every length and offset;
// no weight is read before it is asked for. Pickle files are never opened: the error says how to
// convert them.
//
// A checkpoint is immutable and may be shared by threads; views stay valid as long as it lives.
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

// A tensor in a mapped file, row-major. Its bytes have no guaranteed alignment: copy numbers out,
// never cast the pointer.
struct StoredTensor {
  std::string name;
  kernels::DType dtype = kernels::DType::kFloat32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;  // byte_size(dtype) · product of shape
};

class Checkpoint {
 public:
  // Throws Error if there are no weights (the message says what is there instead), if a file is
  // truncated or inconsistent, or if the index and a shard disagree about a tensor.
  static Checkpoint open(const std::filesystem::path& folder);
  // The same for one safetensors file of any name, such as an adapter's.
  static Checkpoint open_file(const std::filesystem::path& file);

  // Returns nullptr if there is no such tensor. Throws Error, which names the type, if the tensor's
  // type is not one of DType.
  const StoredTensor* find(std::string_view name) const;

  // Names in the order of the files, including tensors of unsupported types.
  std::vector<std::string> names() const;
  int64_t file_bytes() const;  // of all files together
  // The files, for fingerprints and progress.
  const std::vector<std::filesystem::path>& files() const;
  // Tells the system that the memory pages of a tensor are no longer needed, so that a model larger
  // than memory does not evict other files. This is only a hint.
  void release(const StoredTensor& tensor) const;

 private:
  class Impl;
  explicit Checkpoint(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace palimpsest::model
