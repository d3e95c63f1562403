// Finds the data file that a data set's hf_args refer to. These are the arguments (path, name,
// split) that open-unlearning passes to load_dataset() of Hugging Face. The file is searched for in
// local folders, under data_dir and in the local Hugging Face cache. Nothing is downloaded. If
// there is no such file, the error message gives the command that downloads it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/data/record.h"
#include "palimpsest/eval/dataset.h"
#include "palimpsest/eval/parameter.h"

namespace palimpsest::eval {

// A data file, and the part of it that was requested.
struct DataFile {
  std::filesystem::path path;
  std::string slice;  // a part of the split: "[:100]" or "[10:20]"; empty: all of it
};

// If `path` is a file, that file is taken. If `path` is json or csv and data_files is set, the file
// that data_files names is taken. If `path` is a folder, the candidates are name/split, name_split,
// name and split, in this order, each with the ending .jsonl, .json or .csv. The first one that
// exists is taken. If there is none, the subfolder data/ is searched in the same way. If nothing is
// found, throws Error; the message says what was searched, what exists, and which command helps.
DataFile find_data_file(const Parameter& hf_args, const DataLocations& locations);

// Reads the records of the slice. Throws Error if the file or the slice cannot be read.
std::vector<data::Record> read_data_file(const DataFile& file);

}  // namespace palimpsest::eval
