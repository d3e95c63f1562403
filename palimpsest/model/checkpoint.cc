#include "palimpsest/model/checkpoint.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/mapped_file.h"
#include "palimpsest/base/safetensors.h"
#include "palimpsest/model/internal/checkpoint_files.h"

namespace palimpsest::model {
namespace {

// The name that safetensors has for it.
std::string_view stored_name(kernels::DType dtype) {
  switch (dtype) {
    case kernels::DType::kFloat32:
      return "F32";
    case kernels::DType::kFloat16:
      return "F16";
    case kernels::DType::kBFloat16:
      return "BF16";
  }
  return "";
}

std::optional<kernels::DType> supported_type(std::string_view stored) {
  for (const kernels::DType dtype :
       {kernels::DType::kFloat32, kernels::DType::kFloat16, kernels::DType::kBFloat16}) {
    if (stored == stored_name(dtype)) return dtype;
  }
  return std::nullopt;
}

}  // namespace

class Checkpoint::Impl {
 public:
  // Adds a file and its tensors. Throws Error, also for a tensor that an earlier file has.
  void add(const std::filesystem::path& path);

  // Throws Error unless every tensor is in the shard that the index says, and no other.
  void check_index(const CheckpointFiles& expected) const;

  const StoredTensor* find(std::string_view name) const;
  std::vector<std::string> names() const;
  int64_t file_bytes() const;
  const std::vector<std::filesystem::path>& files() const { return files_; }
  void release(std::span<const std::byte> part) const;

 private:
  struct Tensor {
    StoredTensor view;  // without a meaning of its dtype where that is unsupported
    std::string dtype;  // as the file spells it
    bool supported = false;
    size_t file = 0;
  };

  std::string file_name_of(const Tensor& tensor) const {
    return files_[tensor.file].filename().string();
  }

  std::vector<std::filesystem::path> files_;
  std::vector<std::unique_ptr<MappedFile>> mapped_;  // one per file
  std::vector<Tensor> tensors_;                      // in the order of the files
  std::unordered_map<std::string, size_t> by_name_;
  std::unordered_map<std::string, size_t> by_alias_;  // names that are not stored themselves
};

void Checkpoint::Impl::add(const std::filesystem::path& path) {
  auto mapped = std::make_unique<MappedFile>(path);
  for (SafetensorsEntry& entry : parse_safetensors(mapped->bytes(), path.string())) {
    const auto [known, is_new] = by_name_.emplace(entry.name, tensors_.size());
    if (!is_new) {
      throw Error({.what = fmt::format("the tensor '{}' is in {} too", entry.name,
                                       file_name_of(tensors_[known->second])),
                   .where = path.string(),
                   .hint = "download the checkpoint again into an empty folder"});
    }
    const std::optional<kernels::DType> dtype = supported_type(entry.dtype);
    tensors_.push_back({.view = {.name = std::move(entry.name),
                                 .dtype = dtype.value_or(kernels::DType::kFloat32),
                                 .shape = std::move(entry.shape),
                                 .bytes = entry.bytes},
                        .dtype = std::move(entry.dtype),
                        .supported = dtype.has_value(),
                        .file = files_.size()});
    for (const std::string& alias : entry.aliases) by_alias_.emplace(alias, tensors_.size() - 1);
  }
  files_.push_back(path);
  mapped_.push_back(std::move(mapped));
}

const StoredTensor* Checkpoint::Impl::find(std::string_view name) const {
  auto found = by_name_.find(std::string(name));
  if (found == by_name_.end()) {
    found = by_alias_.find(std::string(name));
    if (found == by_alias_.end()) return nullptr;
  }
  const Tensor& tensor = tensors_[found->second];
  if (!tensor.supported) {
    throw Error({.what = fmt::format("the weights '{}' are of a type that is not supported", name),
                 .where = files_[tensor.file].string(),
                 .expected = "F32, F16 or BF16",
                 .found = tensor.dtype,
                 .hint = "give a checkpoint that is not quantized, or convert it to bfloat16"});
  }
  return &tensor.view;
}

std::vector<std::string> Checkpoint::Impl::names() const {
  std::vector<std::string> names;
  names.reserve(tensors_.size());
  for (const Tensor& tensor : tensors_) names.push_back(tensor.view.name);
  return names;
}

int64_t Checkpoint::Impl::file_bytes() const {
  int64_t bytes = 0;
  for (const auto& file : mapped_) bytes += static_cast<int64_t>(file->bytes().size());
  return bytes;
}

void Checkpoint::Impl::release(std::span<const std::byte> part) const {
  for (const auto& file : mapped_) file->release(part);
}

void Checkpoint::Impl::check_index(const CheckpointFiles& expected) const {
  const auto disagree = [&](std::string what) {
    throw Error({.what = std::move(what),
                 .where = expected.index.string(),
                 .hint = "index and shards are of different checkpoints: download them again"});
  };
  for (const auto& [name, shard] : expected.weight_map) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) {
      disagree(fmt::format("the tensor '{}' is not in its shard {}", name, shard));
    }
    const std::string holder = file_name_of(tensors_[found->second]);
    if (holder != shard) {
      disagree(fmt::format("the tensor '{}' is in {}, not in its shard {}", name, holder, shard));
    }
  }
  for (const Tensor& tensor : tensors_) {
    if (expected.weight_map.contains(tensor.view.name)) continue;
    disagree(fmt::format("the shard {} holds the tensor '{}', which the index does not name",
                         file_name_of(tensor), tensor.view.name));
  }
}

Checkpoint Checkpoint::open(const std::filesystem::path& folder) {
  const CheckpointFiles files = find_checkpoint_files(folder);
  auto impl = std::make_shared<Impl>();
  for (const std::filesystem::path& file : files.files) impl->add(file);
  if (!files.index.empty()) impl->check_index(files);
  return Checkpoint(std::move(impl));
}

Checkpoint Checkpoint::open_file(const std::filesystem::path& file) {
  auto impl = std::make_shared<Impl>();
  impl->add(file);
  return Checkpoint(std::move(impl));
}

const StoredTensor* Checkpoint::find(std::string_view name) const {
  return impl_->find(name);
}

std::vector<std::string> Checkpoint::names() const {
  return impl_->names();
}

int64_t Checkpoint::file_bytes() const {
  return impl_->file_bytes();
}

const std::vector<std::filesystem::path>& Checkpoint::files() const {
  return impl_->files();
}

void Checkpoint::release(const StoredTensor& tensor) const {
  impl_->release(tensor.bytes);
}

}  // namespace palimpsest::model
