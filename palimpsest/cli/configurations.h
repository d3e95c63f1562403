// The configurations that ship with the program: where they are, what each of them is for, and the
// values from outside that they may refer to.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/cli/program.h"
#include "palimpsest/config/compose.h"

namespace palimpsest::cli {

// The folder that the context names. If it names none: the folder beside the installed program
// (<prefix>/share/palimpsest/configs) or, for a program that was just built, the one in its source
// tree. Throws Error if there is neither.
std::filesystem::path shipped_configs(const ProgramContext& context);

// A configuration in one line, for `palimpsest list`.
struct ConfigLine {
  std::string group;   // "model"; empty for a primary config, such as eval.yaml
  std::string option;  // "gpt2", or "eval/tofu/quick" of the group experiment
  std::string about;   // the first sentence of the file's comment; may be empty
};

// Every .yaml file below the folder, in the order of its path. Throws Error if a file cannot be
// read.
std::vector<ConfigLine> config_lines(const std::filesystem::path& folder);

// The values of the current process that a configuration may refer to: environment variables, the
// time and folders. As in Hydra, hydra.run.dir is named after the time.
config::ConfigContext process_context();

}  // namespace palimpsest::cli
