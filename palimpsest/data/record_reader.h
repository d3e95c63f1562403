// Reads data files one record at a time: .jsonl (one object per line), .json (an array of objects,
// or one object per line; the first byte decides which) and .csv (RFC 4180, with names in the first
// line). The memory needed depends on the largest record, not on the size of the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "palimpsest/data/record.h"

namespace palimpsest::data {

class RecordReader {
 public:
  // Throws Error if the file cannot be read or has another extension.
  static std::unique_ptr<RecordReader> open(const std::filesystem::path& path);

  virtual ~RecordReader() = default;
  // Returns false at the end. Throws Error, with the file and the line or record, for input that is
  // malformed or not UTF-8.
  virtual bool next(Record& record) = 0;
};

// All records of a file. Throws Error if there is none.
std::vector<Record> read_records(const std::filesystem::path& path);

}  // namespace palimpsest::data
