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

// Replaces some characters of a UTF-8 text by escapes such as "\u202e": those that change the
// direction of the following text (U+202E and similar) and those that some programs take for a line
// break (U+2028, U+2029). Otherwise a name could be displayed as a different text. `escape` is put
// before the four digits.
std::string with_visible_directions(std::string_view text, std::string_view escape = "\\u");

// The text with control characters replaced by '?' (C0 except line breaks, DEL and, in UTF-8, C1),
// and with visible directions as above. Otherwise names from files could control a terminal.
std::string without_controls(const std::string& text);

// A number for people: at most `digits` significant digits ("0.75", "1.234e-07"), "n/a" where it is
// undefined (NaN), "inf" where it is infinite.
std::string format_number(double value, int digits = 4);

// "0.512 … 0.634", or "n/a".
std::string format_interval(double low, double high, int decimals = 3);

// The words of a text in lines of at most `width` characters. Lines after the first are indented by
// `indent`. Longer words are cut. `width` must be greater than `indent`.
std::string wrapped(const std::string& text, size_t width, size_t indent);

}  // namespace palimpsest
