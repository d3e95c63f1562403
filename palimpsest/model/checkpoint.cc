#include "palimpsest/model/internal/checkpoint.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/mapped_file.h"
#include "palimpsest/base/internal/safetensors.h"
#include "palimpsest/model/internal/checkpoint_files.h"

namespace palimpsest::model {
namespace {

// By the names that safetensors has for them.
constexpr std::pair<std::string_view, kernels::DType> kSupportedTypes[] = {
    {"F32", kernels::DType::kFloat32},
    {"F16", kernels::DType::kFloat16},
    {"BF16", kernels::DType::kBFloat16}};

std::optional<kernels::DType> supported_type(std::string_view stored) {
  for (const auto& [name, dtype] : kSupportedTypes) {
    if (stored == name) return dtype;
  }
  return std::nullopt;
}

}  // namespace

struct Checkpoint::Impl {
  struct Tensor {
    StoredTensor view;  // without a meaning of its dtype where that is unsupported
    std::string dtype;  // as the file spells it
    bool supported = false;
    size_t file = 0;
  };

  // Adds a file and its tensors. Throws Error, also for a tensor that an earlier file has.
  void add(const std::filesystem::path& path);

  // Throws Error unless every tensor is in the shard that the index says, and no other.
  void check_index(const CheckpointFiles& expected) const;

  std::string file_name_of(const Tensor& tensor) const {
    return files[tensor.file].filename().string();
  }

  std::vector<std::filesystem::path> files;
  std::vector<std::unique_ptr<MappedFile>> mapped;  // one per file
  std::vector<Tensor> tensors;                      // in the order of the files
  std::unordered_map<std::string, size_t> by_name;
  std::unordered_map<std::string, size_t> by_alias;  // names that are not stored themselves
};

void Checkpoint::Impl::add(const std::filesystem::path& path) {
  auto file = std::make_unique<MappedFile>(path);
  for (SafetensorsEntry& entry : parse_safetensors(file->bytes(), path.string())) {
    const auto [known, is_new] = by_name.emplace(entry.name, tensors.size());
    if (!is_new) {
      throw Error({.what = fmt::format("the tensor '{}' is in {} too", entry.name,
                                       file_name_of(tensors[known->second])),
                   .where = path.string(),
                   .hint = "download the checkpoint again into an empty folder"});
    }
    const std::optional<kernels::DType> dtype = supported_type(entry.dtype);
    tensors.push_back({.view = {.name = std::move(entry.name),
                                .dtype = dtype.value_or(kernels::DType::kFloat32),
                                .shape = std::move(entry.shape),
                                .bytes = entry.bytes},
                       .dtype = std::move(entry.dtype),
                       .supported = dtype.has_value(),
                       .file = files.size()});
    for (const std::string& alias : entry.aliases) by_alias.emplace(alias, tensors.size() - 1);
  }
  files.push_back(path);
  mapped.push_back(std::move(file));
}

void Checkpoint::Impl::check_index(const CheckpointFiles& expected) const {
  const auto disagree = [&](std::string what) {
    throw Error({.what = std::move(what),
                 .where = expected.index.string(),
                 .hint = "index and shards are of different checkpoints: download them again"});
  };
  for (const auto& [name, shard] : expected.weight_map) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) {
      disagree(fmt::format("the tensor '{}' is not in its shard {}", name, shard));
    }
    const std::string holder = file_name_of(tensors[found->second]);
    if (holder != shard) {
      disagree(fmt::format("the tensor '{}' is in {}, not in its shard {}", name, holder, shard));
    }
  }
  for (const Tensor& tensor : tensors) {
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
  auto found = impl_->by_name.find(std::string(name));
  if (found == impl_->by_name.end()) {
    found = impl_->by_alias.find(std::string(name));
    if (found == impl_->by_alias.end()) return nullptr;
  }
  const Impl::Tensor& tensor = impl_->tensors[found->second];
  if (!tensor.supported) {
    throw Error({.what = fmt::format("the weights '{}' are of a type that is not supported", name),
                 .where = impl_->files[tensor.file].string(),
                 .expected = "F32, F16 or BF16",
                 .found = tensor.dtype,
                 .hint = "give a checkpoint that is not quantized, or convert it to bfloat16"});
  }
  return &tensor.view;
}

std::vector<std::string> Checkpoint::names() const {
  std::vector<std::string> names;
  names.reserve(impl_->tensors.size());
  for (const Impl::Tensor& tensor : impl_->tensors) names.push_back(tensor.view.name);
  return names;
}

int64_t Checkpoint::file_bytes() const {
  int64_t bytes = 0;
  for (const auto& file : impl_->mapped) bytes += static_cast<int64_t>(file->bytes().size());
  return bytes;
}

const std::vector<std::filesystem::path>& Checkpoint::files() const {
  return impl_->files;
}

void Checkpoint::release(const StoredTensor& tensor) const {
  for (const auto& file : impl_->mapped) file->release(tensor.bytes);
}

}  // namespace palimpsest::model
