#include "palimpsest/engine/engine_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/backend.h"
#include "palimpsest/engine/internal/engine_model.h"
#include "palimpsest/engine/internal/gradient.h"
#include "palimpsest/engine/internal/guarded.h"
#include "palimpsest/model/internal/adapter_base.h"
#include "palimpsest/model/internal/generation_config.h"
#include "palimpsest/model/internal/layer_split.h"
#include "palimpsest/model/internal/memory.h"
#include "palimpsest/model/internal/parameter_check.h"
#include "palimpsest/model/internal/rotary.h"

namespace palimpsest::engine {
namespace {

constexpr int64_t kGigabyte = 1'000'000'000;

// What a checkpoint folder (or an adapter's) leads to.
struct Found {
  std::filesystem::path base;  // the folder with config.json and the weights
  std::optional<model::Adapter> adapter;
  model::Architecture architecture;
};

Found find_parts(const std::filesystem::path& folder, const model::HubEnvironment& hub) {
  Found found{.base = folder, .adapter = model::Adapter::open(folder)};
  if (found.adapter && !is_listed(folder / "config.json"))
    found.base = model::find_base(*found.adapter, folder, hub);
  const std::filesystem::path config = found.base / "config.json";
  if (!is_listed(config)) {
    throw Error({.what = "the folder holds no model: there is no config.json",
                 .where = found.base.string(),
                 .hint = "name a folder with config.json and model.safetensors"});
  }
  found.architecture = model::read_architecture(read_file(config), config.string());
  return found;
}

std::string gigabytes(int64_t bytes) {
  return fmt::format("{:.3g} GB", static_cast<double>(bytes) / kGigabyte);
}

// How the model and its work share the memory.
struct MemoryPlan {
  model::Residence residence = model::Residence::kResident;
  int64_t weight_bytes = 0;
  ScorerOptions limits;
};

// Rows of `bytes` each that fit, between `least` and `most`.
int64_t rows_within(int64_t memory, int64_t bytes, int64_t least, int64_t most) {
  return std::clamp(memory / std::max<int64_t>(bytes, 1), least, most);
}

MemoryPlan plan_memory(const model::Architecture& a, const model::ModelOptions& options,
                       const model::MemoryNeed& need, int64_t number_bytes) {
  MemoryPlan plan;
  const int64_t limit = model::memory_to_use(need, options.memory_limit);
  plan.residence = model::best_residence(need, limit);
  if (options.residence) {
    plan.residence = *options.residence;
    // What is stored in 32 bits has no narrower form.
    if (plan.residence == model::Residence::k16Bit && need.weights_16bit == 0) {
      plan.residence = model::Residence::kResident;
    }
  }
  if (plan.residence == model::Residence::kNone) plan.residence = model::Residence::kStreamed;
  plan.weight_bytes = model::weight_bytes(need, plan.residence);
  const int64_t left = limit - plan.weight_bytes;
  const int64_t least = need.scoring_per_token * model::kMinBatchTokens;
  const bool streamed = plan.residence == model::Residence::kStreamed;
  if (left < least) {
    throw Error(
        {.what = fmt::format("the model needs {} of memory{}", gigabytes(plan.weight_bytes + least),
                             streamed ? " even with one layer at a time" : ""),
         .found = gigabytes(limit),
         .hint = streamed ? "use a machine with more memory" : "stream it one layer at a time"});
  }
  ScorerOptions& limits = plan.limits;
  limits.max_rows =
      rows_within(left / 2, need.scoring_per_token, model::kMinBatchTokens, limits.max_rows);
  // Streamed: every token held back saves reading the weights once more.
  limits.max_held_rows =
      rows_within(left / 3, 2 * a.hidden_size * number_bytes, limits.max_rows, int64_t{1} << 20);
  limits.max_gradient_rows =
      rows_within(left / 2, gradient_bytes_per_token(a), 64, limits.max_gradient_rows);
  limits.max_cache_bytes = left / 2;
  return plan;
}

// Packed tokens that run through a stage together. All stages must have the same number, so it does
// not depend on memory. Smaller batches let the next stage begin sooner; larger ones are no faster.
constexpr int64_t kStageRows = 1024;

model::StagePart part_of(const model::Stage& stage, const model::Architecture& architecture) {
  PALIMPSEST_CHECK(stage.link != nullptr && stage.index >= 0 && stage.index < stage.count);
  return model::split_layers(architecture, stage.count)[static_cast<size_t>(stage.index)];
}

// Of a process that has some of the layers.
MemoryPlan plan_stage(const model::Stage& stage, const model::StagePart& part,
                      const model::ModelOptions& options, const model::MemoryNeed& need) {
  const int64_t limit = model::memory_to_use(need, options.memory_limit);
  const int64_t work = need.scoring_per_token * kStageRows;
  MemoryPlan plan;
  plan.limits.max_rows = kStageRows;
  plan.limits.link = stage.link;
  if (options.residence) {
    plan.residence = *options.residence;
  } else if (need.resident_weights > limit - work && need.weights_16bit > 0) {
    plan.residence = model::Residence::k16Bit;
  }
  if (need.weights_16bit == 0) plan.residence = model::Residence::kResident;
  plan.weight_bytes = model::weight_bytes(need, plan.residence);
  if (plan.weight_bytes <= limit - work) return plan;
  throw Error(
      {.what = fmt::format("layers {} to {}, the share of process {} of {}, need {} of memory",
                           part.first_layer + 1, part.end_layer, stage.index, stage.count,
                           gigabytes(plan.weight_bytes + work)),
       .found = gigabytes(limit),
       .hint = "start more processes, or use machines with more memory"});
}

// What callers have to know of the network.
model::ModelInfo info_of(const model::Architecture& a) {
  model::ModelInfo info{.source = "", .vocab_size = a.vocab_size, .max_positions = a.max_positions};
  info.num_parameters = model::num_parameters(a);
  if (a.rotary) {
    info.positions_agree = [rotary = *a.rotary](int64_t length, int64_t other) {
      return model::rotary_length_class(rotary, length) ==
             model::rotary_length_class(rotary, other);
    };
  }
  return info;
}

}  // namespace

EngineLoader::EngineLoader(model::HubEnvironment hub)
    : EngineLoader(std::move(hub), make_cpu_backend()) {}

EngineLoader::EngineLoader(model::HubEnvironment hub, std::unique_ptr<Backend> backend)
    : hub_(std::move(hub)), backend_(std::move(backend)) {}

EngineLoader::~EngineLoader() = default;

void EngineLoader::check(const model::ModelOptions& options, bool gradients) const {
  backend_->check(options, gradients);
  if (!options.stage) return;
  require_whole_model(!gradients, "gradient norms need");
  if (options.residence == model::Residence::kStreamed) {
    throw Error({.what = "layers that are split among processes stay in memory, so they cannot be "
                         "streamed",
                 .hint = "leave out --weights streamed, or --split-layers"});
  }
}

bool EngineLoader::has_cuda() const {
  return backend_->has_cuda();
}

std::vector<std::filesystem::path> EngineLoader::files(const std::filesystem::path& folder) {
  const Found found = find_parts(folder, hub_);
  std::vector<std::filesystem::path> files = {found.base / "config.json"};
  // It decides where generations end.
  const std::filesystem::path generation = found.base / "generation_config.json";
  if (is_listed(generation)) files.push_back(generation);
  const model::Checkpoint checkpoint = model::Checkpoint::open(found.base);
  files.insert(files.end(), checkpoint.files().begin(), checkpoint.files().end());
  if (found.adapter) {
    files.push_back(folder / "adapter_config.json");
    files.push_back(folder / "adapter_model.safetensors");
  }
  return files;
}

std::vector<std::string> EngineLoader::notes(const std::filesystem::path& folder,
                                             const model::ModelOptions& /*options*/) {
  const Found found = find_parts(folder, hub_);
  return model::checkpoint_notes(model::Checkpoint::open(found.base), found.architecture);
}

std::unique_ptr<model::LanguageModel> EngineLoader::load(const std::filesystem::path& folder,
                                                         const model::ModelOptions& options) {
  check(options, false);
  Found found = find_parts(folder, hub_);
  model::Checkpoint checkpoint = model::Checkpoint::open(found.base);
  const std::vector<std::string> notes = model::checkpoint_notes(checkpoint, found.architecture);
  const std::vector<kernels::DType> stored = model::stored_types(checkpoint, found.architecture);
  const kernels::DType dtype =
      backend_->compute_type(options, stored.empty() ? kernels::DType::kFloat32 : stored.front());
  const bool is_16bit = backend_->keeps_16bit_weights(options) && !stored.empty() &&
                        stored.front() != kernels::DType::kFloat32;
  const int64_t number_bytes = kernels::byte_size(dtype);
  const model::MemoryNeed need = model::memory_need(found.architecture, number_bytes, is_16bit);
  model::StagePart part{.end_layer = found.architecture.num_layers};
  if (options.stage) part = part_of(*options.stage, found.architecture);
  const MemoryPlan plan =
      options.stage ? plan_stage(*options.stage, part, options,
                                 model::stage_need(part, found.architecture, need, number_bytes))
                    : plan_memory(found.architecture, options, need, number_bytes);
  const bool streamed = plan.residence == model::Residence::kStreamed;
  return guarded([&]() -> std::unique_ptr<model::LanguageModel> {
    EngineModelParts parts;
    parts.pool = std::make_unique<WorkerPool>(options.threads);
    parts.source = std::make_unique<WeightSource>(
        found.architecture, std::move(checkpoint), std::move(found.adapter), *parts.pool,
        plan.residence == model::Residence::k16Bit ? WeightWidth::kStored : WeightWidth::kFloat32);
    for (const std::string& note : notes) log_warning("{}", note);
    if (!streamed) parts.source->release_after_reading();
    const model::Architecture& a = parts.source->architecture();
    parts.ops = backend_->make_ops(a, options, dtype, *parts.pool);
    parts.decoder =
        streamed
            ? std::make_unique<Decoder>(*parts.source, *parts.ops)
            : std::make_unique<Decoder>(
                  a, Decoder::Layers{.begin = part.first_layer, .end = part.end_layer},
                  parts.source->part(part.first_layer, part.end_layer, to_device_with(*parts.ops)),
                  *parts.ops);

    model::ModelInfo info = info_of(a);
    info.source = folder.string();
    info.generation = model::read_generation_config(found.base);
    info.device = options.device;
    info.dtype = std::string(kernels::name_of(dtype));
    info.stored_dtype = std::string(kernels::name_of(stored.front()));
    info.residence = plan.residence;
    info.weight_bytes = plan.weight_bytes;
    return std::make_unique<EngineModel>(std::move(parts), std::move(info), plan.limits);
  });
}

}  // namespace palimpsest::engine
