// Comma-separated values as RFC 4180 has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

// The text as one cell: quoted where it holds a comma, a quote or a line break.
std::string csv_cell(std::string_view text);

// Reads a text row by row. Rows end in \n or \r\n, quoted cells may hold line breaks, empty lines
// and a UTF-8 byte order mark are skipped.
class CsvReader {
 public:
  static constexpr size_t kMaxCells = 1000;  // a row; no table that people make is as wide

  // The text must outlive the reader. `where` names it in messages.
  CsvReader(std::string_view text, std::string where);

  // False at the end. Throws Error for a quote that is not closed or that ends amid a cell, and for
  // a row of more than kMaxCells.
  bool next(std::vector<std::string>& row);

  // Where the row last returned begins: "data.csv:17".
  std::string where() const;

 private:
  std::string quoted_cell();
  std::string plain_cell();
  // At the end of a cell: whether the row goes on.
  bool skip_comma();

  std::string_view rest_;
  std::string where_;
  int64_t line_ = 1;      // of the beginning of rest_
  int64_t row_line_ = 0;  // of the beginning of the row
};

}  // namespace palimpsest
