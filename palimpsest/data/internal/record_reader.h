// Reads data files one record at a time. A .jsonl file has one object per line. A .json file has an
// array of objects, or one object per line; its first byte decides which. A .csv file (RFC 4180)
// has the names of its columns in the first line. A record that is a text instead of an object
// counts as {"text": …}. Each kind may be compressed by gzip or zstd (.jsonl.gz, .jsonl.zst). A
// folder is read as one data set: its data files, in the order of their names. The memory needed
// depends on the largest record, not on the size of the file.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "palimpsest/data/record.h"

namespace palimpsest::data {

// Must not be shared between threads.
class RecordReader {
 public:
  // Throws Error if the file cannot be read or has another extension, or if a folder holds no data
  // file.
  static std::unique_ptr<RecordReader> open(const std::filesystem::path& path);

  virtual ~RecordReader() = default;
  // Reads the next record. Returns false at the end of the file. Throws Error, with the file and
  // the line or record, for input that is malformed or not UTF-8.
  virtual bool next(Record& record) = 0;
};

// The files that hold the data set: the file itself, or the data files of a folder in the order of
// their names. Throws Error if a folder holds none.
std::vector<std::filesystem::path> files_of_data_set(const std::filesystem::path& path);

// Reads all records of a file or folder. Throws Error if it has none.
std::vector<Record> read_records(const std::filesystem::path& path);

}  // namespace palimpsest::data
