// The folder of configurations that ships with the program.
#pragma once

#include <filesystem>

namespace palimpsest::cli {

// Beside the installed program (<prefix>/share/palimpsest/configs) or, for a program that was just
// built, in its source tree. Throws Error if there is neither.
std::filesystem::path shipped_configs();

}  // namespace palimpsest::cli
