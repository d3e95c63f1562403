// Which modules of its base model an adapter was made for: target_modules, exclude_modules,
// layers_to_transform and layers_pattern of adapter_config.json, with PEFT's meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/model/internal/module_regex.h"

namespace palimpsest::model {

// Names of modules, each from its end ("q_proj", "layers.0.mlp.down_proj"), or an expression that
// the whole name matches.
struct ModuleNames {
  std::vector<std::string> names;
  std::optional<ModuleRegex> expression = std::nullopt;

  bool contain(std::string_view module) const;
};

struct TargetModules {
  // Nothing: the configuration says nothing, and whatever the file holds is meant.
  std::optional<ModuleNames> modules;
  bool all_linear = false;  // "all-linear": every linear map but the head
  ModuleNames excluded;
  std::optional<std::vector<int64_t>> layers;  // nothing: all of them
  std::vector<ModuleRegex> layer_patterns;     // empty: whatever a number stands behind

  // Whether the module ("model.layers.0.self_attn.q_proj") is meant.
  bool contain(std::string_view module, bool is_head) const;
  bool is_given() const { return modules.has_value() || all_linear; }

 private:
  bool is_in_layers(std::string_view module) const;
};

// The expression whose first group is the number of a layer that is called `name`.
std::string layer_expression(const std::string& name);

}  // namespace palimpsest::model
