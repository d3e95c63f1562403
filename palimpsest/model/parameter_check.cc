#include "palimpsest/model/parameter_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "palimpsest/base/array.h"
#include "palimpsest/base/error.h"

namespace palimpsest {
namespace {

// The file, or the folder where there are several.
std::string place_of(const Checkpoint& checkpoint) {
  const std::vector<std::filesystem::path>& files = checkpoint.files();
  if (files.empty()) return "the checkpoint";
  return (files.size() == 1 ? files[0] : files[0].parent_path()).string();
}

}  // namespace

const StoredTensor* find_parameter(const Checkpoint& checkpoint, const Architecture& architecture,
                                   const std::string& name) {
  if (const StoredTensor* found = checkpoint.find(name)) return found;
  const std::string& prefix = architecture.inner_prefix;
  if (prefix.empty() || !name.starts_with(prefix)) return nullptr;
  return checkpoint.find(name.substr(prefix.size()));
}

const StoredTensor& require_parameter(const Checkpoint& checkpoint,
                                      const Architecture& architecture, const std::string& name) {
  const StoredTensor* found = find_parameter(checkpoint, architecture, name);
  if (found != nullptr) return *found;
  throw Error(
      {.what = fmt::format("there is no tensor '{}'", name),
       .where = place_of(checkpoint),
       .expected = fmt::format("the weights of a {} model of {} layers, as config.json "
                               "describes it",
                               architecture.family, architecture.num_layers),
       .hint = "download the checkpoint again, or with the config.json that belongs to it"});
}

void check_parameters(const Checkpoint& checkpoint, const Architecture& architecture) {
  for (const Parameter& parameter : parameters(architecture)) {
    const StoredTensor& found = require_parameter(checkpoint, architecture, parameter.name);
    if (found.shape == parameter.shape) continue;
    throw Error({.what = fmt::format("the tensor '{}' has another shape than config.json implies",
                                     parameter.name),
                 .where = place_of(checkpoint),
                 .expected = to_string(parameter.shape),
                 .found = to_string(found.shape),
                 .hint = "config.json belongs to another checkpoint"});
  }
}

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
      throw Error({.what = fmt::format("the adapter changes '{}', which is no linear map of the "
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
}

std::vector<DType> stored_types(const Checkpoint& checkpoint, const Architecture& architecture) {
  std::map<DType, int64_t> counts;
  for (const Parameter& parameter : parameters(architecture)) {
    const StoredTensor* found = find_parameter(checkpoint, architecture, parameter.name);
    if (found != nullptr) ++counts[found->dtype];
  }
  std::vector<DType> types;
  for (const auto& [type, count] : counts) types.push_back(type);
  std::stable_sort(types.begin(), types.end(),
                   [&](DType a, DType b) { return counts[a] > counts[b]; });
  return types;
}

}  // namespace palimpsest
