// The names that results use for models and data sets that the user gave by their paths: the last
// part of each path. Results name them in many places, where paths of the user's machine do not
// belong. The path itself, as it was given, is recorded in provenance.json.
#pragma once

#include <string>
#include <vector>

namespace palimpsest::cli {

// Returns one name per path. A text that is not an existing file or folder (a hub id) is its own
// name. If two different paths end in the same part, their names get as many parts as are needed to
// tell them apart.
std::vector<std::string> display_names(const std::vector<std::string>& given);

}  // namespace palimpsest::cli
