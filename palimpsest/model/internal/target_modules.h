// The modules of its base model for which an adapter was made: target_modules, exclude_modules,
// layers_to_transform and layers_pattern of adapter_config.json, with the same meaning as in PEFT.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/model/internal/module_regex.h"

namespace palimpsest::model {

// A set of modules: names that match the end of a module's name ("q_proj",
// "layers.0.mlp.down_proj"), or an expression that must match the whole name.
struct ModuleNames {
  std::vector<std::string> names;
  std::optional<ModuleRegex> expression = std::nullopt;

  bool contain(std::string_view module) const;
};

struct TargetModules {
  // nullopt: the configuration does not say, and the adapter is for all modules for which the file
  // has matrices.
  std::optional<ModuleNames> modules;
  bool all_linear = false;  // "all-linear": every linear map except the head
  ModuleNames excluded;
  std::optional<std::vector<int64_t>> layers;  // nullopt: all layers
  std::vector<ModuleRegex> layer_patterns;     // empty: any name that is followed by a number

  // Whether the adapter targets the module ("model.layers.0.self_attn.q_proj").
  bool contain(std::string_view module, bool is_head) const;
  bool is_given() const { return modules.has_value() || all_linear; }

 private:
  bool is_in_layers(std::string_view module) const;
};

// The expression whose first group is the number of a layer, where layers are called `name`.
std::string layer_expression(const std::string& name);

}  // namespace palimpsest::model
