#include "palimpsest/cli/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/instruction_set.h"
#include "palimpsest/cli/handover.h"
#include "palimpsest/engine/engine_loader.h"
#include "palimpsest/model/internal/adapter_base.h"

namespace palimpsest::cli {
namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr int kMaxThreads = 1024;

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

void check_device(const std::string& device) {
  if (device == "cpu" || device == "torch" || device == "cuda") return;
  constexpr std::string_view kNumbered = "cuda:";
  constexpr size_t kMaxDigits = 3;
  const std::string number = device.starts_with(kNumbered) ? device.substr(kNumbered.size()) : "";
  const bool is_number =
      !number.empty() && number.size() <= kMaxDigits &&
      std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (is_number) return;
  throw Error({.what = fmt::format("there is no device '{}'", device),
               .where = "--device",
               .expected = "cpu, torch, cuda or cuda:N"});
}

std::optional<kernels::DType> parse_dtype(const std::string& name) {
  if (name == "auto") return std::nullopt;
  for (const kernels::DType dtype :
       {kernels::DType::kFloat32, kernels::DType::kFloat16, kernels::DType::kBFloat16}) {
    if (name == kernels::name_of(dtype)) return dtype;
  }
  throw Error({.what = fmt::format("there is no type '{}'", name),
               .where = "--dtype",
               .expected = "auto, float32, float16 or bfloat16"});
}

// A choice by name, or nothing for "auto". Throws Error that names the option.
std::optional<model::Residence> parse_residence(
    const std::string& option, const std::string& choice,
    const std::vector<std::pair<std::string, model::Residence>>& choices) {
  if (choice == "auto") return std::nullopt;
  std::string names = "auto";
  for (const auto& [name, residence] : choices) {
    if (name == choice) return residence;
    names += ", " + name;
  }
  throw Error({.what = fmt::format("'{}' is not one of the choices", choice),
               .where = option,
               .expected = names});
}

std::optional<model::Residence> residence_of(const ModelArguments& arguments) {
  const auto by_layers =
      parse_residence("--stream-layers", arguments.stream_layers,
                      {{"yes", model::Residence::kStreamed}, {"no", model::Residence::kResident}});
  const auto by_weights = parse_residence("--weights", arguments.weights,
                                          {{"float32", model::Residence::kResident},
                                           {"stored", model::Residence::k16Bit},
                                           {"streamed", model::Residence::kStreamed}});
  if (by_layers && by_weights && *by_layers != *by_weights) {
    throw Error({.what = "--weights and --stream-layers contradict each other",
                 .hint = "give only --weights"});
  }
  return by_weights ? by_weights : by_layers;
}

int64_t parse_memory_limit(double gibibytes) {
  constexpr double kMaxGibibytes = 1 << 20;  // a pebibyte
  if (gibibytes >= 0 && gibibytes <= kMaxGibibytes) {
    return static_cast<int64_t>(std::llround(gibibytes * kGibibyte));
  }
  throw Error({.what = fmt::format("{} is not a valid amount of memory", gibibytes),
               .where = "--memory-limit",
               .expected = "a number of GiB, or 0 for all free memory"});
}

}  // namespace

void add_model_options(Command& command, ModelArguments& arguments) {
  command.group("Model and data")
      .option("--model", arguments.model,
              "Checkpoint folder, or a hub id (org/name[@revision]) in the local cache")
      .required();
  add_device_options(command, arguments);
}

void add_device_options(Command& app, ModelArguments& arguments) {
  Command command = app.group(kDeviceOptions);
  command
      .option("--device", arguments.device,
              "cpu, torch (libtorch on the CPU), cuda or cuda:N; all but cpu need palimpsest-torch")
      .completes({"cpu", "torch", "cuda"})
      .show_default();
  command
      .option("--dtype", arguments.dtype,
              "Number type of the computation: float32, bfloat16, float16, or auto: the stored "
              "type if the device computes fast with it, else float32")
      .completes({"auto", "float32", "bfloat16", "float16"})
      .show_default();
  add_resource_options(app, arguments);
}

void add_resource_options(Command& app, ModelArguments& arguments) {
  Command command = app.group(kDeviceOptions);
  command.option("--threads", arguments.threads, "Number of threads; 0: one per core")
      .show_default();
  command
      .option("--memory-limit", arguments.memory_limit,
              "Memory for weights and work space in GiB; 0: all free memory of the machine")
      .show_default();
  command
      .option("--weights", arguments.weights,
              "How weights are kept: float32; stored (16-bit weights stay 16-bit in memory and are "
              "widened when used: half the memory); streamed (one layer at a time); or auto, the "
              "fastest that fits")
      .completes({"auto", "float32", "stored", "streamed"})
      .show_default();
  command
      .option("--stream-layers", arguments.stream_layers,
              "An older way to say --weights streamed (yes) or float32 (no)")
      .completes({"auto", "yes", "no"})
      .show_default();
  add_isa_option(command, arguments.isa);
}

void add_isa_option(Command& command, std::string& isa) {
  command
      .option("--isa", isa,
              "Vector instructions of the CPU to use: baseline, avx2, avx512, or auto, the widest "
              "that it has")
      .completes({"auto", "baseline", "avx2", "avx512"})
      .show_default();
}

void use_isa(const std::string& isa) {
  if (isa == "auto") return;
  try {
    use_instruction_set(instruction_set_of(isa));
  } catch (const Error& error) {
    throw error.located("--isa");
  }
}

void check_threads(int threads) {
  if (threads >= 0 && threads <= kMaxThreads) return;
  throw Error({.what = fmt::format("{} is not a valid number of threads", threads),
               .where = "--threads",
               .expected = fmt::format("0 to {}", kMaxThreads)});
}

int threads_of(const ModelArguments& arguments, const ProgramContext& context) {
  return arguments.threads == 0 ? context.threads : arguments.threads;
}

model::ModelOptions model_options(const ModelArguments& arguments, const ProgramContext& context) {
  use_isa(arguments.isa);
  check_device(arguments.device);
  hand_over(arguments.device, context);
  check_threads(arguments.threads);
  return {.device = arguments.device,
          .dtype = parse_dtype(arguments.dtype),
          .threads = threads_of(arguments, context),
          .memory_limit = parse_memory_limit(arguments.memory_limit),
          .residence = residence_of(arguments)};
}

model::HubEnvironment hub_environment() {
  // huggingface_hub, too, looks at the older name only where the newer one is not set.
  std::optional<std::string> cache = variable("HF_HUB_CACHE");
  if (!cache || cache->empty()) cache = variable("HUGGINGFACE_HUB_CACHE");
  return {.hf_hub_cache = std::move(cache),
          .hf_home = variable("HF_HOME"),
          .xdg_cache_home = variable("XDG_CACHE_HOME"),
          .home = variable("HOME")};
}

std::vector<std::filesystem::path> model_folders(const std::string& model,
                                                 const model::HubEnvironment& environment) {
  if (model.empty()) return {};
  const std::filesystem::path folder = model::find_model(model, environment);
  std::vector<std::filesystem::path> folders = {folder, model::find_tokenizer(folder, environment)};
  if (const auto adapter = model::Adapter::open(folder); adapter && !adapter->base().empty())
    folders.push_back(model::find_base(*adapter, folder, environment));
  return folders;
}

std::function<std::unique_ptr<model::ModelLoader>(const model::HubEnvironment&)> engine_loader_on(
    std::unique_ptr<engine::Backend> (*make_backend)()) {
  return [make_backend](const model::HubEnvironment& environment) {
    return std::make_unique<engine::EngineLoader>(environment, make_backend());
  };
}

}  // namespace palimpsest::cli
