// What `palimpsest --version` says about the program: its version and how it was built.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "palimpsest/cli/program.h"

namespace palimpsest::cli {

// The lines below the version, each as a name and a value: commit, compiler, build type,
// instruction set and libtorch. Further facts that help with bug reports can be added as rows.
std::vector<std::pair<std::string, std::string>> version_details(const ProgramContext& context);

// "0.1.0, commit 1a2b3c4". Two programs of the same build have the same text.
std::string version_and_commit();

// "palimpsest 0.1.0", then one line per detail, without a line break at the end.
std::string version_text(const ProgramContext& context);

}  // namespace palimpsest::cli
