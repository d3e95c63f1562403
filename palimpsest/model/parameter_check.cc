#include "palimpsest/model/internal/parameter_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "palimpsest/base/array.h"
#include "palimpsest/base/error.h"
#include "palimpsest/model/internal/checkpoint_files.h"
#include "palimpsest/model/internal/target_modules.h"

namespace palimpsest::model {
namespace {

// The file, or the folder where there are several.
std::string weights_path(const Checkpoint& checkpoint) {
  const std::vector<std::filesystem::path>& files = checkpoint.files();
  if (files.empty()) return "the checkpoint";
  return (files.size() == 1 ? files[0] : files[0].parent_path()).string();
}

// "model.layers.": what the names of layers begin with, before their number.
std::string layer_prefix(const Architecture& architecture) {
  const std::string& name = architecture.layer.mlp_out.parts.front().weight;
  return name.substr(0, name.find("{}"));
}

// Whether a name that begins with `prefix` goes on with the number of a layer that is not counted.
bool is_beyond(std::string_view name, std::string_view prefix, int64_t num_layers) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  const std::string_view digits = name.substr(0, name.find_first_not_of("0123456789"));
  if (digits.empty() || digits.size() == name.size() || name[digits.size()] != '.') return false;
  int64_t layer = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), layer);
  return result.ec != std::errc() || layer >= num_layers;
}

void check_layers(const Checkpoint& checkpoint, const Architecture& architecture) {
  const std::string prefix = layer_prefix(architecture);
  const std::string& inner = architecture.inner_prefix;
  const std::string bare = prefix.starts_with(inner) ? prefix.substr(inner.size()) : prefix;
  for (const std::string& name : checkpoint.names()) {
    if (!is_beyond(name, prefix, architecture.num_layers) &&
        !is_beyond(name, bare, architecture.num_layers)) {
      continue;
    }
    throw Error(
        {.what = fmt::format("the tensor '{}' is of a layer that config.json does not count", name),
         .where = weights_path(checkpoint),
         .expected = fmt::format("{} layers, numbered from 0", architecture.num_layers),
         .hint = "config.json belongs to another checkpoint, or its number of layers was changed"});
  }
}

// Buffers of older releases, which transformers leaves out without a word too.
bool is_known_buffer(std::string_view name) {
  if (name.find("rotary_emb.inv_freq") != std::string_view::npos) return true;
  for (const std::string_view buffer :
       {".attn.bias", ".attn.masked_bias", ".attention.bias", ".attention.masked_bias"}) {
    if (name.ends_with(buffer)) return true;
  }
  return false;
}

constexpr std::string_view kHeadNames[] = {"lm_head.weight", "embed_out.weight"};

// The head where the embedding is the head, as some programs write it all the same.
bool is_tied_head(std::string_view name, const Architecture& architecture) {
  return !architecture.head && std::ranges::find(kHeadNames, name) != std::end(kHeadNames);
}

const StoredTensor* find_with_or_without_prefix(const Checkpoint& checkpoint,
                                                const std::string& name,
                                                const std::string& prefix) {
  if (const StoredTensor* found = checkpoint.find(name)) return found;
  if (prefix.empty() || !name.starts_with(prefix)) return nullptr;
  return checkpoint.find(name.substr(prefix.size()));
}

}  // namespace

const StoredTensor* find_parameter(const Checkpoint& checkpoint, const Architecture& architecture,
                                   const std::string& name) {
  const StoredTensor* found =
      find_with_or_without_prefix(checkpoint, name, architecture.inner_prefix);
  if (found != nullptr || name != architecture.embedding || architecture.head) return found;
  // Of two tied matrices, safetensors' save_model keeps one, by either name.
  for (const std::string_view head : kHeadNames) {
    if (const StoredTensor* tied = checkpoint.find(head)) return tied;
  }
  return nullptr;
}

const StoredTensor& require_parameter(const Checkpoint& checkpoint,
                                      const Architecture& architecture, const std::string& name) {
  const StoredTensor* found = find_parameter(checkpoint, architecture, name);
  if (found != nullptr) return *found;
  const bool only_head =
      name == architecture.head &&
      find_parameter(checkpoint, architecture, architecture.embedding) != nullptr;
  throw Error(
      {.what = fmt::format("there is no tensor '{}'", name),
       .where = weights_path(checkpoint),
       .expected = fmt::format("the weights of a {} model of {} layers, as config.json "
                               "describes it",
                               architecture.family, architecture.num_layers),
       .hint = only_head
                   ? "this is a base model without a head, which predicts nothing: give a "
                     "checkpoint of the whole language model"
                   : "download the checkpoint again, or with the config.json that belongs to it"});
}

bool may_be_missing(const std::string& name) {
  return name.ends_with(".bias");
}

std::vector<std::string> missing_biases(const Checkpoint& checkpoint,
                                        const Architecture& architecture) {
  std::vector<std::string> missing;
  for (const Parameter& parameter : parameters(architecture)) {
    if (may_be_missing(parameter.name) &&
        find_parameter(checkpoint, architecture, parameter.name) == nullptr) {
      missing.push_back(parameter.name);
    }
  }
  return missing;
}

std::string missing_note(const Checkpoint& checkpoint, const Architecture& architecture) {
  const std::vector<std::string> missing = missing_biases(checkpoint, architecture);
  if (missing.empty()) return "";
  return fmt::format("{}: biases that config.json implies are missing and count as 0: {}",
                     weights_path(checkpoint), first_few(missing));
}

void check_parameters(const Checkpoint& checkpoint, const Architecture& architecture) {
  for (const Parameter& parameter : parameters(architecture)) {
    if (may_be_missing(parameter.name) &&
        find_parameter(checkpoint, architecture, parameter.name) == nullptr) {
      continue;
    }
    const StoredTensor& found = require_parameter(checkpoint, architecture, parameter.name);
    if (found.shape == parameter.shape) continue;
    throw Error({.what = fmt::format("the shape of the tensor '{}' is not the one that config.json "
                                     "implies",
                                     parameter.name),
                 .where = weights_path(checkpoint),
                 .expected = to_string(parameter.shape),
                 .found = to_string(found.shape),
                 .hint = "config.json belongs to another checkpoint"});
  }
  check_layers(checkpoint, architecture);
}

std::vector<std::string> surplus_tensors(const Checkpoint& checkpoint,
                                         const Architecture& architecture) {
  std::set<std::string> used;
  for (const Parameter& parameter : parameters(architecture)) {
    const StoredTensor* found = find_parameter(checkpoint, architecture, parameter.name);
    if (found != nullptr) used.insert(found->name);
  }
  std::vector<std::string> surplus = checkpoint.names();
  std::erase_if(surplus, [&](const std::string& name) {
    return used.contains(name) || is_known_buffer(name) || is_tied_head(name, architecture);
  });
  return surplus;
}

std::string surplus_note(const Checkpoint& checkpoint, const Architecture& architecture) {
  const std::vector<std::string> surplus = surplus_tensors(checkpoint, architecture);
  if (surplus.empty()) return "";
  return fmt::format("{}: {} that a {} model does not have {} not used: {}",
                     weights_path(checkpoint),
                     surplus.size() == 1 ? "a tensor" : fmt::format("{} tensors", surplus.size()),
                     architecture.family, surplus.size() == 1 ? "is" : "are", first_few(surplus));
}

std::vector<std::string> checkpoint_notes(const Checkpoint& checkpoint,
                                          const Architecture& architecture) {
  std::vector<std::string> notes = {surplus_note(checkpoint, architecture),
                                    missing_note(checkpoint, architecture)};
  std::erase(notes, "");
  return notes;
}

namespace {

constexpr std::string_view kWeightEnd = ".weight";

// Every linear map that the adapter targets must have its matrices: an adapter without some of them
// is half an adapter, which PEFT fills up with zeros.
void check_targets(const Adapter& adapter, const Architecture& architecture,
                   const std::map<std::string, std::vector<int64_t>>& shapes) {
  const TargetModules& targets = adapter.targets();
  if (!targets.is_given()) return;
  std::set<std::string_view> updated;
  for (const LowRankUpdate& update : adapter.updates()) updated.insert(update.weight);
  for (const auto& [weight, shape] : shapes) {
    const std::string_view module =
        std::string_view(weight).substr(0, weight.size() - kWeightEnd.size());
    const bool is_head = weight == architecture.head;
    if (targets.contain(module, is_head) == updated.contains(weight)) continue;
    throw Error(
        {.what = is_head
                     ? fmt::format("the adapter's matrices and its target_modules disagree on "
                                   "the head '{}'",
                                   module)
                     : fmt::format("the adapter targets '{}' but has no matrices for it", module),
         .where = "adapter_config.json",
         .hint = "the adapter is incomplete: download it again"});
  }
}

}  // namespace

// Adapters change linear maps: those of the layers, and a head of its own.
void check_adapter(const Adapter& adapter, const Architecture& architecture) {
  std::map<std::string, std::vector<int64_t>> shapes;  // [outputs, inputs]
  const LayerSpec& spec = architecture.layer;
  for (int64_t layer = 0; layer < architecture.num_layers; ++layer) {
    for (const LinearSpec* linear :
         {&spec.query_key_value, &spec.attention_out, &spec.mlp_in, &spec.mlp_out}) {
      for (const LinearPart& part : linear->parts) {
        shapes[layer_name(part.weight, layer)] = {part.outputs, linear->inputs};
      }
    }
  }
  if (architecture.head) {
    shapes[*architecture.head] = {architecture.vocab_size, architecture.hidden_size};
  }
  for (const LowRankUpdate& update : adapter.updates()) {
    const auto target = shapes.find(update.weight);
    if (target == shapes.end()) {
      throw Error({.what = fmt::format("the adapter changes '{}', which is not a linear map of the "
                                       "base model",
                                       update.weight),
                   .hint = "the adapter belongs to another model; a tied head cannot be adapted"});
    }
    const std::vector<int64_t> change = {update.b->shape[0], update.a->shape[1]};
    if (target->second != change) {
      throw Error({.what = fmt::format("the adapter's matrices for '{}' do not fit", update.weight),
                   .expected = to_string(target->second),
                   .found = to_string(change)});
    }
  }
  check_targets(adapter, architecture, shapes);
}

std::vector<kernels::DType> stored_types(const Checkpoint& checkpoint,
                                         const Architecture& architecture) {
  std::map<kernels::DType, int64_t> counts;
  for (const Parameter& parameter : parameters(architecture)) {
    const StoredTensor* found = find_parameter(checkpoint, architecture, parameter.name);
    if (found != nullptr) ++counts[found->dtype];
  }
  std::vector<kernels::DType> types;
  for (const auto& [type, count] : counts) types.push_back(type);
  std::stable_sort(types.begin(), types.end(),
                   [&](kernels::DType a, kernels::DType b) { return counts[a] > counts[b]; });
  return types;
}

}  // namespace palimpsest::model
