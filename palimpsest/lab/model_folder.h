// A checkpoint folder of the lab: an ordinary Hugging Face folder with its tokenizer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "palimpsest/base/hash.h"
#include "palimpsest/lab/parameter_layout.h"

namespace palimpsest::lab {

// Writes config.json, generation_config.json, model.safetensors and copies the tokenizer's files.
// `folder` exists.
void write_model(const std::filesystem::path& folder, const std::string& config,
                 const std::string& generation_config, const ParameterLayout& layout,
                 std::span<const float> values, const std::filesystem::path& tokenizer);

// Adds the contents of the tokenizer's files.
void add_tokenizer(Fingerprint& fingerprint, const std::filesystem::path& tokenizer);

// Throws Error if training would take more memory than is free. `tokens`: of one step, padding
// included; `gradients`: shards of a step; `models`: networks that are computed (two with a
// reference).
struct TrainingNeed {
  int64_t tokens = 0;
  int64_t longest = 0;
  int64_t gradients = 1;
  int64_t models = 1;
};
void require_memory(const ParameterLayout& layout, const TrainingNeed& need);

// Bytes of the folder, about.
int64_t folder_bytes(const ParameterLayout& layout);

}  // namespace palimpsest::lab
