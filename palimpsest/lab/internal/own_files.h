// Files that the lab writes into a folder of the user, which may hold other files. A hidden file of
// the folder, .palimpsest-lab.json, says which files the lab wrote and what was in them, so that
// the lab replaces its own files and no others.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace palimpsest::lab {

// Writes the files, whose names are the keys, into `folder`, which is created if necessary. Throws
// Error before it writes anything if one of the names is taken by a file with other contents that
// the lab did not write, or that was changed since.
void write_own_files(const std::filesystem::path& folder,
                     const std::map<std::string, std::string>& files);

}  // namespace palimpsest::lab
