// Data files, a record at a time: .jsonl (an object a line), .json (an array of objects, or lines
// all the same: the first byte tells), .csv (RFC 4180, names in the first line). Memory follows the
// largest record, not the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "palimpsest/data/record.h"

namespace palimpsest {

class RecordReader {
 public:
  // Throws Error if the file cannot be read or its name ends in something else.
  static std::unique_ptr<RecordReader> open(const std::filesystem::path& path);

  virtual ~RecordReader() = default;
  // False at the end. Throws Error (file and line or record) for what is malformed or not UTF-8.
  virtual bool next(Record& record) = 0;
};

// All records of a file. Throws Error if there is none.
std::vector<Record> read_records(const std::filesystem::path& path);

}  // namespace palimpsest
