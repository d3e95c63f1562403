// The configurations of a folder in one line each, for `palimpsest list`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace palimpsest::cli {

struct ConfigLine {
  std::string group;   // "model"; empty for a config that is read first, such as eval.yaml
  std::string option;  // "gpt2", or "eval/tofu/quick" of the group experiment
  std::string about;   // the first sentence of the file's comment; may be empty
};

// Every .yaml file below the folder, in the order of its path. Throws Error if a file cannot be
// read.
std::vector<ConfigLine> config_lines(const std::filesystem::path& folder);

}  // namespace palimpsest::cli
