// A folder with an adapter of one matrix and nothing else: no tokenizer, no configuration of a
// model.
#pragma once

#include <filesystem>
#include <string>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "tests/support/safetensors_file.h"

namespace palimpsest {

// `base` is what the adapter calls its base model: a path beside the folder, or an absolute one.
inline std::filesystem::path write_adapter(const std::filesystem::path& folder,
                                           const std::string& base) {
  std::filesystem::create_directories(folder);
  const Json config = {
      {"peft_type", "LORA"}, {"r", 1}, {"lora_alpha", 1}, {"base_model_name_or_path", base}};
  write_file(folder / "adapter_config.json", to_line(config));
  const std::string module = "base_model.model.model.layers.0.self_attn.q_proj.";
  write_file(folder / "adapter_model.safetensors",
             safetensors_of({zeros(module + "lora_A.weight", {1, 2}),
                             zeros(module + "lora_B.weight", {2, 1})}));
  return folder;
}

}  // namespace palimpsest
