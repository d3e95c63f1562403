#include "palimpsest/torch/torch_loader.h"

#include <ATen/Context.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/log.h"
#include "palimpsest/model/adapter.h"
#include "palimpsest/model/memory.h"
#include "palimpsest/model/parameter_check.h"
#include "palimpsest/torch/gradient.h"
#include "palimpsest/torch/guarded.h"
#include "palimpsest/torch/threads.h"
#include "palimpsest/torch/torch_model.h"

namespace palimpsest {
namespace {

constexpr int64_t kGigabyte = 1'000'000'000;

// What a checkpoint folder (or an adapter's) leads to.
struct Found {
  std::filesystem::path base;  // the folder with config.json and the weights
  std::optional<Adapter> adapter;
  Architecture architecture;
};

Found find_parts(const std::filesystem::path& folder, const TorchLoader::FindBase& find_base) {
  Found found{.base = folder, .adapter = Adapter::open(folder)};
  if (found.adapter && !std::filesystem::exists(folder / "config.json")) {
    found.base = find_base ? find_base(*found.adapter, folder) : folder / found.adapter->base();
  }
  const std::filesystem::path config = found.base / "config.json";
  if (!std::filesystem::exists(config)) {
    throw Error({.what = "the folder holds no model: there is no config.json",
                 .where = found.base.string(),
                 .hint = "name a folder with config.json and model.safetensors"});
  }
  found.architecture = read_architecture(read_file(config), config.string());
  return found;
}

at::Device device_of(const std::string& name) {
  const bool is_cuda = name == "cuda" || name.starts_with("cuda:");
  if (name != "cpu" && !is_cuda) {
    throw Error(
        {.what = fmt::format("there is no device '{}'", name), .expected = "cpu, cuda or cuda:N"});
  }
  if (is_cuda && !at::globalContext().hasCUDA()) {
    throw Error({.what = fmt::format("the device '{}' cannot be used", name),
                 .hint = "this libtorch was built without CUDA or finds no GPU; use cpu, or build "
                         "with a CUDA libtorch (docs/models.md)"});
  }
  try {
    return at::Device(name);
  } catch (const c10::Error&) {
    throw Error(
        {.what = fmt::format("there is no device '{}'", name), .expected = "cpu, cuda or cuda:N"});
  }
}

at::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return at::kFloat;
    case DType::kFloat16:
      return at::kHalf;
    case DType::kBFloat16:
      return at::kBFloat16;
  }
  return at::kFloat;
}

// Some builds of libtorch lack products of some types on some devices.
void require_products(const at::Device& device, DType dtype) {
  try {
    const at::Tensor one =
        at::ones({2, 2}, at::TensorOptions().device(device).dtype(scalar_type(dtype)));
    at::mm(one, one);
  } catch (const c10::Error&) {
    throw Error({.what = fmt::format("this libtorch does not multiply {} on {}", name_of(dtype),
                                     device.str()),
                 .hint = "use another type, float32 say"});
  }
}

std::string gigabytes(int64_t bytes) {
  return fmt::format("{:.3g} GB", static_cast<double>(bytes) / kGigabyte);
}

// How the model and its work share the memory.
struct MemoryPlan {
  bool streamed = false;
  int64_t weight_bytes = 0;
  torch::ScorerOptions limits;
};

// Rows of `bytes` each that fit, between `least` and `most`.
int64_t rows_within(int64_t memory, int64_t bytes, int64_t least, int64_t most) {
  return std::clamp(memory / std::max<int64_t>(bytes, 1), least, most);
}

MemoryPlan plan_memory(const Architecture& a, const ModelOptions& options, int64_t number_bytes) {
  const MemoryNeed need = memory_need(a, number_bytes);
  MemoryPlan plan;
  const int64_t limit = memory_to_use(need, options.memory_limit);
  plan.streamed = options.stream_layers.value_or(best_residence(need, limit) != Residence::kWhole);
  plan.weight_bytes = plan.streamed ? need.streamed_weights : need.resident_weights;
  const int64_t left = limit - plan.weight_bytes;
  const int64_t least = need.scoring_per_token * kLeastTokens;
  if (left < least) {
    throw Error(
        {.what = fmt::format("the model needs {} of memory{}", gigabytes(plan.weight_bytes + least),
                             plan.streamed ? " even with one layer at a time" : ""),
         .found = gigabytes(limit),
         .hint = plan.streamed ? "use a machine with more memory"
                               : "let it be streamed a layer at a time"});
  }
  torch::ScorerOptions& limits = plan.limits;
  limits.max_rows = rows_within(left / 2, need.scoring_per_token, kLeastTokens, limits.max_rows);
  // Streamed: every token held back saves reading the weights once more.
  limits.max_held_rows =
      rows_within(left / 3, 2 * a.hidden_size * number_bytes, limits.max_rows, int64_t{1} << 20);
  limits.max_gradient_rows =
      rows_within(left / 2, torch::gradient_bytes_per_token(a), 64, limits.max_gradient_rows);
  limits.max_cache_bytes = left / 2;
  return plan;
}

}  // namespace

TorchLoader::TorchLoader(FindBase find_base) : find_base_(std::move(find_base)) {}

bool TorchLoader::has_cuda() const {
  return at::globalContext().hasCUDA();
}

std::vector<std::filesystem::path> TorchLoader::files(const std::filesystem::path& folder) {
  const Found found = find_parts(folder, find_base_);
  std::vector<std::filesystem::path> files = {found.base / "config.json"};
  // It decides where generations end.
  const std::filesystem::path generation = found.base / "generation_config.json";
  std::error_code ignored;
  if (std::filesystem::exists(generation, ignored)) files.push_back(generation);
  const Checkpoint checkpoint = Checkpoint::open(found.base);
  files.insert(files.end(), checkpoint.files().begin(), checkpoint.files().end());
  if (found.adapter) {
    files.push_back(folder / "adapter_config.json");
    files.push_back(folder / "adapter_model.safetensors");
  }
  return files;
}

std::unique_ptr<LanguageModel> TorchLoader::load(const std::filesystem::path& folder,
                                                 const ModelOptions& options) {
  Found found = find_parts(folder, find_base_);
  return torch::guarded([&]() -> std::unique_ptr<LanguageModel> {
    torch::arrange_threads(options.threads);
    const at::Device device = device_of(options.device);
    torch::TorchModelParts parts;
    parts.pool = std::make_unique<WorkerPool>(options.threads);
    parts.source = std::make_unique<torch::WeightSource>(
        found.architecture, Checkpoint::open(found.base), std::move(found.adapter), *parts.pool);
    const std::vector<DType> stored = stored_types(parts.source->checkpoint(), found.architecture);
    // Processors multiply float32 well and the short types badly; GPUs the other way round.
    const DType dtype = options.dtype.value_or(device.is_cpu() ? DType::kFloat32 : stored.front());
    require_products(device, dtype);
    const MemoryPlan plan = plan_memory(found.architecture, options, byte_size(dtype));
    if (!plan.streamed) parts.source->release_after_reading();
    const Architecture& a = parts.source->architecture();
    parts.ops = device.is_cpu() && dtype == DType::kFloat32
                    ? torch::make_cpu_ops(a, *parts.pool)
                    : torch::make_portable_ops(
                          a, at::TensorOptions().device(device).dtype(scalar_type(dtype)));
    parts.decoder = std::make_unique<torch::Decoder>(*parts.source, *parts.ops, plan.streamed);

    ModelInfo info{.architecture = found.architecture,
                   .source = folder.string(),
                   .stored_dtype = std::string(name_of(stored.front())),
                   .dtype = std::string(name_of(dtype)),
                   .device = options.device,
                   .streamed = plan.streamed,
                   .weight_bytes = plan.weight_bytes,
                   .generation = read_generation_config(found.base)};
    for (const Parameter& parameter : parameters(a)) info.num_parameters += num_elements(parameter);
    return std::make_unique<torch::TorchModel>(std::move(parts), std::move(info), plan.limits);
  });
}

}  // namespace palimpsest
