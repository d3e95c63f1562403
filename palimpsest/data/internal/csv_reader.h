// Reads comma-separated values (RFC 4180). A quoted cell may hold commas, line breaks and doubled
// quotes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/base/internal/file.h"

namespace palimpsest::data {

class CsvReader {
 public:
  explicit CsvReader(const std::filesystem::path& path);

  // Reads the cells of the next record. Returns false at the end of the file. Empty lines are
  // skipped. Throws Error for a quote that is not closed, and for a quote in the middle of a cell.
  bool next(std::vector<std::string>& cells);

  // The position where the record that was read last begins: "data.csv:17".
  const std::string& where() const { return where_; }

 private:
  LineReader lines_;
  std::string where_;
};

}  // namespace palimpsest::data
