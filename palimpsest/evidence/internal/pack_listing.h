// The files of a folder of results.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace palimpsest::evidence {

// All files below the folder by their names relative to it, with '/', in order. Without
// provenance.json and without what runs leave while they work: locks, notes and unfinished files,
// whose names begin with a dot. Links are named but not followed. Throws Error if the folder cannot
// be read.
std::vector<std::string> list_files(const std::filesystem::path& folder);

}  // namespace palimpsest::evidence
