// Reads a checkpoint's own settings for generation (GenerationConfig).
#pragma once

#include <filesystem>

#include "palimpsest/model/language_model.h"

namespace palimpsest::model {

// Reads generation_config.json. If the file does not exist, reads the same fields from config.json,
// as transformers does. Throws Error for a malformed file.
GenerationConfig read_generation_config(const std::filesystem::path& folder);

}  // namespace palimpsest::model
