// Comma-separated values as RFC 4180 has them: cells in quotes may hold commas, line breaks and
// doubled quotes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/base/file.h"

namespace palimpsest::data {

class CsvReader {
 public:
  explicit CsvReader(const std::filesystem::path& path);

  // One record's cells; false at the end. Empty lines are skipped. Throws Error for a quote that is
  // not closed, or one in the middle of a cell.
  bool next(std::vector<std::string>& cells);

  // "data.csv:17": the line on which the record last returned begins.
  const std::string& where() const { return where_; }

 private:
  LineReader lines_;
  std::string where_;
};

}  // namespace palimpsest::data
