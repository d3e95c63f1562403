#include "palimpsest/base/internal/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "palimpsest/base/error.h"

namespace palimpsest {
namespace {

// Numbers, intervals ("0.1 … 0.2") and what stands for an absent number.
bool looks_numeric(std::string_view cell) {
  if (cell.empty() || cell == "n/a" || cell == "inf" || cell == "-inf" || cell == "-") return true;
  const char first = cell[0] == '-' && cell.size() > 1 ? cell[1] : cell[0];
  return first >= '0' && first <= '9';
}

// A byte of UTF-8 that continues a character.
bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// The bytes of the character that a text begins with if it is one for with_visible_directions(),
// else 0: U+0080 to U+009F, U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069.
size_t direction_length(std::string_view text) {
  if (text.starts_with("\xD8\x9C")) return 2;
  if (text.size() > 1 && text[0] == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0) {
    return is_continuation(text[1]) ? 2 : 0;
  }
  if (text.size() < 3 || text[0] != '\xE2') return 0;
  const auto last = static_cast<unsigned char>(text[2]);
  const bool is_mark = last == 0x8E || last == 0x8F;
  const bool is_embedding = last >= 0xA8 && last <= 0xAE;
  const bool is_isolate = last >= 0xA6 && last <= 0xA9;
  if (text[1] == '\x80') return is_mark || is_embedding ? 3 : 0;
  return text[1] == '\x81' && is_isolate ? 3 : 0;
}

// Of one character of two or three bytes.
unsigned code_point(std::string_view character) {
  unsigned result =
      static_cast<unsigned char>(character[0]) & (character.size() == 2 ? 0x1F : 0x0F);
  for (const char c : character.substr(1))
    result = result << 6U | (static_cast<unsigned char>(c) & 0x3F);
  return result;
}

}  // namespace

size_t text_width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string with_visible_directions(std::string_view text, std::string_view escape) {
  std::string result;
  size_t done = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    const size_t length = direction_length(text.substr(i));
    if (length == 0) continue;
    result.append(text, done, i - done);
    fmt::format_to(std::back_inserter(result), "{}{:04x}", escape,
                   code_point(text.substr(i, length)));
    done = i + length;
    i = done - 1;
  }
  return result.append(text, done);
}

std::string without_controls(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_c1 = byte == 0xC2 && next >= 0x80 && next <= 0x9F;
    const bool is_control = (byte < 0x20 && byte != '\n') || byte == 0x7F || is_c1;
    result += is_control ? '?' : text[i];
    if (is_c1) ++i;
  }
  return with_visible_directions(result);
}

void Table::add_row(std::vector<std::string> cells) {
  PALIMPSEST_CHECK(cells.size() == rows_[0].size());
  for (std::string& cell : cells) cell = without_controls(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::to_string() const {
  const size_t columns = rows_[0].size();
  std::vector<size_t> widths(columns, 0);
  std::vector<bool> flush_right(columns, rows_.size() > 1);
  for (size_t r = 0; r < rows_.size(); ++r) {
    for (size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], text_width(rows_[r][c]));
      if (r > 0 && !looks_numeric(rows_[r][c])) flush_right[c] = false;
    }
  }
  std::string text;
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (size_t c = 0; c < columns; ++c) {
      const std::string padding(widths[c] - text_width(rows_[r][c]), ' ');
      if (c > 0) line += "  ";
      line += flush_right[c] ? padding + rows_[r][c] : rows_[r][c] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
    if (r == 0) {
      for (size_t c = 0; c < columns; ++c)
        text += (c > 0 ? "  " : "") + std::string(widths[c], '-');
      text += "\n";
    }
  }
  return text;
}

std::string format_number(double value, int digits) {
  if (std::isnan(value)) return "n/a";
  return fmt::format("{:.{}g}", value, digits);
}

std::string format_interval(double low, double high, int decimals) {
  if (std::isnan(low) || std::isnan(high)) return "n/a";
  return fmt::format("{:.{}f} … {:.{}f}", low, decimals, high, decimals);
}

std::string format_p_value(double p) {
  return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", p);
}

std::string wrapped(const std::string& text, size_t width, size_t indent) {
  std::string result;
  std::string line;
  bool fresh = true;  // nothing but the indent in the line
  auto break_line = [&] {
    result += line + "\n";
    line = std::string(indent, ' ');
    fresh = true;
  };
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    if (!fresh && text_width(line) + 1 + text_width(word) > width) break_line();
    if (!fresh) line += " ";
    for (char c : word) {
      if (!is_continuation(c) && text_width(line) >= width) break_line();
      line += c;
      fresh = false;
    }
  }
  return fresh ? result : result + line + "\n";
}

}  // namespace palimpsest
