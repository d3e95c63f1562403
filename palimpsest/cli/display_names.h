// What results call a model or a data set that the user gave by its path: by the last part of it.
// Results name it in many places, and paths of the machine have no business there. The path itself,
// as it was given, stands once in provenance.json.
#pragma once

#include <string>
#include <vector>

namespace palimpsest::cli {

// One name per path. A text that is no existing file or folder (a hub id) is its own name. Where two
// paths end alike, their names have as many parts as make them differ.
std::vector<std::string> display_names(const std::vector<std::string>& given);

}  // namespace palimpsest::cli
