// Aligned plain-text tables: what the program prints for people to read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

// Columns are separated by two spaces. The first row is the heading, underlined. A column whose
// cells (heading aside) all look like numbers, intervals or n/a is set flush right. Widths count
// characters of UTF-8, not bytes.
class Table {
 public:
  explicit Table(std::vector<std::string> heading) : rows_{std::move(heading)} {}

  // Must have as many cells as the heading.
  void add_row(std::vector<std::string> cells);
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// The number of characters of a UTF-8 text.
size_t text_width(std::string_view text);

// Without control characters (C0 but line breaks, DEL and, in UTF-8, C1), which become '?': names from
// files could steer a terminal.
std::string without_controls(const std::string& text);

// A number for people: at most `digits` significant digits ("0.75", "1.234e-07"), "n/a" where it is
// undefined (NaN), "inf" where it is infinite.
std::string format_number(double value, int digits = 4);

// "0.512 … 0.634", or "n/a".
std::string format_interval(double low, double high, int decimals = 3);

// The words of a text, broken into lines of at most `width` characters; lines after the first are
// indented. A longer word is cut. `width` must be greater than `indent`.
std::string wrapped(const std::string& text, size_t width, size_t indent);

}  // namespace palimpsest
