// Finding the file that hf_args (path, name, split) means: in a local folder, under the folder for
// data, or in the local Hugging Face cache. Nothing is downloaded; where there is no such file the
// error gives the command that brings it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/config/value.h"
#include "palimpsest/data/record.h"
#include "palimpsest/model/hub.h"

namespace palimpsest::eval {

// Where data may lie.
struct DataPlaces {
  std::filesystem::path data_dir;  // paths.data_dir of the configuration; may be empty
  HubEnvironment hub;
};

// A data file and which part of it is meant.
struct DataFile {
  std::filesystem::path path;
  std::string slice;  // of the split, "[:100]" or "[10:20]"; empty: all of it
};

// In a folder, the first that is there of name/split, name_split, name and split, then the same in
// data/, with .jsonl, .json or .csv. A path that is a file is that file, and path: json (or csv) with
// data_files is the file named there. Throws Error with what was looked for, what is there and the command that helps.
DataFile find_data_file(const config::Value& hf_args, const DataPlaces& places);

// Its records; the slice is applied. Throws Error as reading does, and for a slice that cannot be
// read.
std::vector<Record> read_data_file(const DataFile& file);

}  // namespace palimpsest::eval
