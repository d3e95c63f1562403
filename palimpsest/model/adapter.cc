#include "palimpsest/model/internal/adapter.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <system_error>

#include "palimpsest/base/array.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/strings.h"
#include "palimpsest/model/internal/adapter_config.h"
#include "palimpsest/model/internal/checkpoint_files.h"

namespace palimpsest::model {
namespace {

constexpr const char* kConfig = "adapter_config.json";
constexpr const char* kAdapterWeights = "adapter_model.safetensors";
constexpr const char* kPickle = "adapter_model.bin";
constexpr uintmax_t kMaxConfig = 256'000;  // real ones have a few kilobytes

std::string merge_hint(const std::filesystem::path& folder) {
  return fmt::format(
      "merge it into its base with PEFT: python3 -c \"import sys; from peft import "
      "AutoPeftModelForCausalLM as M; M.from_pretrained(sys.argv[1], torch_dtype='auto')"
      ".merge_and_unload().save_pretrained(sys.argv[2])\" {} MERGED_FOLDER",
      shell_word(folder.string()));
}

[[noreturn]] void fail_no_adapter_weights(const std::filesystem::path& folder) {
  if (!is_listed(folder / kPickle)) {
    throw Error(
        {.what = fmt::format("the adapter's weights are missing: there is no {}", kAdapterWeights),
         .where = folder.string(),
         .hint = "download the adapter again"});
  }
  throw Error(
      {.what = "the adapter is a pickle file, which is never read since it can run code",
       .where = folder.string(),
       .expected = kAdapterWeights,
       .found = kPickle,
       .hint = fmt::format(
           "if you trust it, convert it with: python3 -c \"import sys, torch; from "
           "safetensors.torch import save_file; t = torch.load(sys.argv[1] + '/adapter_model.bin', "
           "map_location='cpu', weights_only=True); save_file({{k: v.contiguous() for k, v in "
           "t.items()}}, sys.argv[1] + '/adapter_model.safetensors')\" {}",
           shell_word(folder.string()))});
}

std::string read_config(const std::filesystem::path& path) {
  std::error_code code;
  const uintmax_t size = std::filesystem::file_size(path, code);
  if (!code && size > kMaxConfig) {
    throw Error(
        {.what = fmt::format("the file is {} bytes long, too long for a configuration", size),
         .where = path.string()});
  }
  return read_file(path);
}

// "base_model.model.model.layers.0.mlp.up_proj.lora_A.weight" in its parts; nothing for other
// names.
struct LoraName {
  std::string module;  // "model.layers.0.mlp.up_proj"
  bool is_a = true;
};

std::optional<LoraName> parse_name(std::string_view name) {
  constexpr std::string_view kPrefix = "base_model.model.";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  for (const std::string_view side : {"A", "B"}) {
    // PEFT strips its adapter's name ("default") on saving; other tools do not.
    for (const std::string_view middle : {"", ".default"}) {
      const std::string end = fmt::format(".lora_{}{}.weight", side, middle);
      if (name.size() <= end.size() || !name.ends_with(end)) continue;
      return LoraName{std::string(name.substr(0, name.size() - end.size())), side == "A"};
    }
  }
  return std::nullopt;
}

// What a tensor that is not LoRA on a linear layer belongs to.
std::string_view feature_of(std::string_view name) {
  constexpr auto kNone = std::string_view::npos;
  if (name.find("lora_embedding_") != kNone) return "LoRA on an embedding";
  if (name.find("lora_magnitude_vector") != kNone) return "DoRA";
  if (name.find(".lora_") != kNone) return "not plain LoRA";
  return "a tensor of the base model stored whole";
}

void check_shapes(const LowRankUpdate& update, int64_t rank, const std::string& where) {
  const Shape& a = update.a->shape;
  const Shape& b = update.b->shape;
  if (a.size() == 2 && b.size() == 2 && a[0] == rank && b[1] == rank) return;
  throw Error(
      {.what = fmt::format("the adapter's matrices for '{}' do not have its rank", update.weight),
       .where = where,
       .expected = fmt::format("A [{}, inputs] and B [outputs, {}]", rank, rank),
       .found = fmt::format("A {} and B {}", to_string(a), to_string(b))});
}

// PEFT would leave such matrices out without a word; whoever trained them wanted them.
[[noreturn]] void fail_no_target(const std::string& module, const std::string& where) {
  throw Error(
      {.what = fmt::format("the file holds matrices for '{}', which {} does not target", module,
                           kConfig),
       .where = where,
       .expected = "modules of target_modules, in the layers of layers_to_transform",
       .hint = "configuration and matrices are of different adapters: download them again"});
}

struct Pair {
  const StoredTensor* a = nullptr;
  const StoredTensor* b = nullptr;
};

// The matrices by module. Throws Error for a tensor that is something else.
std::map<std::string, Pair> pair_up(const Checkpoint& tensors, const std::string& where,
                                    const std::string& hint) {
  std::map<std::string, Pair> pairs;
  for (const std::string& name : tensors.names()) {
    const std::optional<LoraName> parsed = parse_name(name);
    if (!parsed) {
      throw Error({.what = fmt::format("the tensor '{}' is not supported: it is {}", name,
                                       feature_of(name)),
                   .where = where,
                   .hint = hint});
    }
    Pair& pair = pairs[parsed->module];
    const StoredTensor*& slot = parsed->is_a ? pair.a : pair.b;
    if (slot != nullptr) {
      throw Error({.what = fmt::format("'{}' and '{}' are the same matrix", slot->name, name),
                   .where = where});
    }
    slot = tensors.find(name);
  }
  if (pairs.empty()) throw Error({.what = "the adapter holds no matrices", .where = where});
  return pairs;
}

}  // namespace

std::optional<Adapter> Adapter::open(const std::filesystem::path& folder) {
  if (!is_listed(folder / kConfig)) return std::nullopt;
  const std::string hint = merge_hint(folder);
  const AdapterConfig config =
      read_adapter_config(read_config(folder / kConfig), (folder / kConfig).string(), hint);
  if (!is_listed(folder / kAdapterWeights)) fail_no_adapter_weights(folder);
  Adapter adapter;
  const std::string where = (folder / kAdapterWeights).string();
  adapter.tensors_ =
      std::make_shared<const Checkpoint>(Checkpoint::open_file(folder / kAdapterWeights));
  adapter.targets_ = std::make_shared<const TargetModules>(config.targets);
  adapter.base_ = config.base;
  adapter.base_revision_ = config.base_revision;
  for (const auto& [module, pair] : pair_up(*adapter.tensors_, where, hint)) {
    if (pair.a == nullptr || pair.b == nullptr) {
      throw Error(
          {.what = fmt::format("'{}' has lora_{} but no lora_{}", module,
                               pair.a == nullptr ? "B" : "A", pair.a == nullptr ? "A" : "B"),
           .where = where,
           .hint = "download the adapter again"});
    }
    // Only the base model knows which module is its head.
    if (!config.targets.contain(module, false)) fail_no_target(module, where);
    const LowRankUpdate update = {
        .weight = module + ".weight", .a = pair.a, .b = pair.b, .scale = config.scale_of(module)};
    check_shapes(update, config.rank_of(module), where);
    adapter.updates_.push_back(update);
  }
  return adapter;
}

}  // namespace palimpsest::model
