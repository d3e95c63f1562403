// Which files of a folder hold its weights: model.safetensors, or the shards that
// model.safetensors.index.json names. Only names are looked at here; checkpoint.h opens the files.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::model {

struct CheckpointFiles {
  std::vector<std::filesystem::path> files;       // shards sorted by name
  std::filesystem::path index;                    // empty where there is only one file
  std::map<std::string, std::string> weight_map;  // tensor → the name of its shard
};

// Throws Error where the folder has no weights (pickle files: with the command that converts them),
// where the index is malformed or names a file that is missing or lies outside the folder.
CheckpointFiles find_checkpoint_files(const std::filesystem::path& folder);

// The index's weight_map from its text. Throws Error, which `where` opens.
std::map<std::string, std::string> parse_weight_map(std::string_view index_json,
                                                    const std::string& where);

// The first of the names, and how many more there are: "a, b and 3 more"; "nothing" for none.
std::string first_few(const std::vector<std::string>& names);

// A path as one word of a shell command.
std::string shell_word(const std::filesystem::path& path);

}  // namespace palimpsest::model
