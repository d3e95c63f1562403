// adapter_config.json of a LoRA adapter, as PEFT writes it: which modules it changes, which rank and
// scale each of them has, and whether anything in it is more than plain LoRA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/model/internal/target_modules.h"

namespace palimpsest::model {

// Values by module. A key names modules from their end: "q_proj" or "layers.0.mlp.down_proj"; the
// first key that fits wins. PEFT also takes regular expressions, which are refused.
struct ModulePattern {
  std::vector<std::pair<std::string, double>> values;

  std::optional<double> find(std::string_view module) const;
};

struct AdapterConfig {
  int64_t rank = 8;      // r
  double alpha = 8;      // lora_alpha
  bool rslora = false;   // scale by sqrt(r)
  ModulePattern ranks;   // rank_pattern
  ModulePattern alphas;  // alpha_pattern
  TargetModules targets;
  std::string base;  // base_model_name_or_path; may be empty
  std::optional<std::string> base_revision;

  int64_t rank_of(std::string_view module) const;
  double scale_of(std::string_view module) const;
};

// Throws Error: not JSON, a malformed field, a feature that is not supported (by name). `where`
// opens the message; `merge_hint` ends that of an unsupported feature.
AdapterConfig read_adapter_config(const std::string& json, const std::string& where,
                                  const std::string& merge_hint);

}  // namespace palimpsest::model
