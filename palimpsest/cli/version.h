// What `palimpsest --version` says about the program: its version and how it was built.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "palimpsest/cli/program.h"

namespace palimpsest::cli {

// The lines below the version, name and value: commit, compiler, build type, libtorch. What else a reader of
// a bug report wants to know is a row more.
std::vector<std::pair<std::string, std::string>> version_details(const ProgramContext& context);

// "0.1.0, commit 1a2b3c4": what two programs of one build have in common.
std::string version_and_commit();

// "palimpsest 0.1.0", then a line per detail; no line break at the end.
std::string version_text(const ProgramContext& context);

}  // namespace palimpsest::cli
