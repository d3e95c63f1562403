// adapter_config.json of a LoRA adapter, as PEFT writes it: the modules that the adapter changes,
// the rank and scale of each, and whether it uses anything beyond plain LoRA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/model/internal/target_modules.h"

namespace palimpsest::model {

// Values for certain modules. A key matches the end of a module's name: "q_proj" or
// "layers.0.mlp.down_proj". The first key that matches counts. PEFT also allows regular expressions
// as keys; they are refused.
struct ModulePattern {
  std::vector<std::pair<std::string, double>> values;

  std::optional<double> find(std::string_view module) const;
};

struct AdapterConfig {
  int64_t rank = 8;      // r
  double alpha = 8;      // lora_alpha
  bool rslora = false;   // divide by sqrt(r) instead of r
  ModulePattern ranks;   // rank_pattern
  ModulePattern alphas;  // alpha_pattern
  TargetModules targets;
  std::string base;  // base_model_name_or_path; may be empty
  std::optional<std::string> base_revision;

  int64_t rank_of(std::string_view module) const;
  double scale_of(std::string_view module) const;
};

// Throws Error if the text is not JSON, if a field is malformed, or if a feature is not supported
// (the message names it). Messages begin with `where`; that about an unsupported feature ends with
// `merge_hint`.
AdapterConfig read_adapter_config(const std::string& json, const std::string& where,
                                  const std::string& merge_hint);

}  // namespace palimpsest::model
