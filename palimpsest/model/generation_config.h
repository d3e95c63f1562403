// generation_config.json: a checkpoint's own settings for generation, such as its end tokens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace palimpsest::model {

struct GenerationConfig {
  std::vector<int64_t> eos_ids;  // eos_token_id: one or a list
  double repetition_penalty = 1;
  // Fields of the file that would change greedy output and are not supported, "name=value" each.
  // Loading keeps them; generating refuses them by name.
  std::vector<std::string> unsupported;
};

// Reads generation_config.json, or, where there is none, the same fields of config.json, which is
// what transformers falls back to. Throws Error for a malformed file.
GenerationConfig read_generation_config(const std::filesystem::path& folder);

}  // namespace palimpsest::model
