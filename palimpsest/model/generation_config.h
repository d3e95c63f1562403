// A checkpoint's own settings for generation, such as its end tokens, from generation_config.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace palimpsest::model {

struct GenerationConfig {
  std::vector<int64_t> eos_ids;  // eos_token_id: one id or a list
  double repetition_penalty = 1;
  // Settings that would change greedy output and are not supported, each as "name=value". Loading
  // keeps them; generating throws an Error that names them.
  std::vector<std::string> unsupported;
};

// Reads generation_config.json. If the file does not exist, reads the same fields from config.json,
// as transformers does. Throws Error for a malformed file.
GenerationConfig read_generation_config(const std::filesystem::path& folder);

}  // namespace palimpsest::model
