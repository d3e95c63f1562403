// The folder of configurations that ships with the program.
#pragma once

#include <filesystem>

#include "palimpsest/cli/program.h"

namespace palimpsest::cli {

// The folder that the context names. If it names none: the folder beside the installed program
// (<prefix>/share/palimpsest/configs) or, for a program that was just built, the one in its source
// tree. Throws Error if there is neither.
std::filesystem::path shipped_configs(const ProgramContext& context);

}  // namespace palimpsest::cli
