// Finds the file that hf_args (path, name, split) refers to: in a local folder, under data_dir, or
// in the local Hugging Face cache. Nothing is downloaded. If there is no such file, the error
// message gives the command that downloads it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/data/record.h"
#include "palimpsest/eval/parameter.h"
#include "palimpsest/model/hub.h"

namespace palimpsest::eval {

// Where data may lie.
struct DataLocations {
  std::filesystem::path data_dir;  // paths.data_dir of the configuration; may be empty
  model::HubEnvironment hub;
};

// A data file and the requested part of it.
struct DataFile {
  std::filesystem::path path;
  std::string slice;  // of the split, "[:100]" or "[10:20]"; empty: all of it
};

// In a folder, the first existing file among name/split, name_split, name and split is taken, then
// the same in data/, each with the ending .jsonl, .json or .csv. If `path` is a file, that file is
// taken. If `path` is json or csv and data_files is set, the file named there is taken. The message
// of the Error says what was looked for, what exists, and which command helps.
DataFile find_data_file(const Parameter& hf_args, const DataLocations& places);

// Its records; the slice is applied. Throws Error as reading does, and for a slice that cannot be
// read.
std::vector<data::Record> read_data_file(const DataFile& file);

}  // namespace palimpsest::eval
