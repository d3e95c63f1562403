// Finds the files of a folder that hold its weights: model.safetensors, or the shards that
// model.safetensors.index.json names. It reads no weights; checkpoint.h opens the files.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::model {

struct CheckpointFiles {
  std::vector<std::filesystem::path> files;       // shards are sorted by name
  std::filesystem::path index;                    // empty if there is only one file
  std::map<std::string, std::string> weight_map;  // name of a tensor → name of its shard
};

// Throws Error if the folder has no weights (for pickle files the message has the command that
// converts them), or if the index is malformed or names a file that is missing or outside the
// folder.
CheckpointFiles find_checkpoint_files(const std::filesystem::path& folder);

// Reads weight_map from the text of the index. Throws Error, which begins with `where`.
std::map<std::string, std::string> parse_weight_map(std::string_view index_json,
                                                    const std::string& where);

// The first names and the number of the others: "a, b and 3 more"; "nothing" if there are none.
std::string first_few(const std::vector<std::string>& names);

}  // namespace palimpsest::model
