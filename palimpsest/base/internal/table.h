// Plain-text tables with aligned columns, and other formatting for people. The program prints them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

// Columns are separated by two spaces. The first row is the heading and is underlined. A column is
// right-aligned if all of its cells below the heading look like numbers, intervals or n/a. Widths
// are counted in UTF-8 characters, not in bytes.
class Table {
 public:
  explicit Table(std::vector<std::string> heading) : rows_{std::move(heading)} {}

  // The row must have as many cells as the heading.
  void add_row(std::vector<std::string> cells);
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// The number of characters in a UTF-8 text.
size_t text_width(std::string_view text);

// Replaces certain characters of a UTF-8 text by escapes such as "\u202e", because they could make
// a name look like a different text, or control a terminal: those that change the writing direction
// (U+202E and similar), those that some programs treat as line breaks (U+2028, U+2029), and the
// control characters C1 (U+0080 to U+009F). `escape` is put before the four digits.
std::string with_visible_directions(std::string_view text, std::string_view escape = "\\u");

// Replaces control characters by '?' (C0 except line breaks, DEL and, in UTF-8, C1), and escapes
// the characters of with_visible_directions(). Without this, a name from a file could control the
// terminal.
std::string without_controls(const std::string& text);

// Formats a number for people with at most `digits` significant digits: "0.75", "1.234e-07". NaN
// stands for an undefined value and gives "n/a"; an infinite value gives "inf".
std::string format_number(double value, int digits = 4);

// Formats an interval: "0.512 … 0.634", or "n/a" if it is undefined.
std::string format_interval(double low, double high, int decimals = 3);

// Formats a p-value: "p = 0.032", or "p < 0.001" if it is smaller than that. All texts for people
// show p-values like this.
std::string format_p_value(double p);

// Breaks a text into lines of at most `width` characters, between words where possible. A word
// longer than a line is cut. All lines but the first are indented by `indent`, which must be less
// than `width`.
std::string wrapped(const std::string& text, size_t width, size_t indent);

}  // namespace palimpsest
