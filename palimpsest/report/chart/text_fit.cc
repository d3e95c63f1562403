#include "palimpsest/report/internal/chart/text_fit.h"

#include <array>
#include <cstdint>
#include <optional>

#include "palimpsest/base/internal/table.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::report {
namespace {

// Hundredths of the font size, from U+0020 to U+007E.
constexpr std::array<uint8_t, 95> kAsciiWidths = {
    32, 41, 46, 84, 64, 96, 78, 28, 40,  40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79,
    61, 79, 70, 64, 62, 74, 69, 99, 69,  62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64,
    64, 28, 28, 58, 28, 98, 64, 62, 64,  64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84};

constexpr std::string_view kEllipsis = "…";

double width_of(char32_t c) {
  if (c >= 0x20 && c <= 0x7E) return kAsciiWidths[c - 0x20] / 100.0;
  if (c >= 0x300 && c < 0x370) return 0;  // combining marks
  // Letters of other alphabets are narrower, ideographs and emoji are not.
  return c < 0x1100 ? 0.84 : 1.05;
}

bool is_allowed(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return false;
  return (c & 0xFFFE) != 0xFFFE;  // no character at all, in every plane
}

// The ends of the characters of a text, in bytes.
std::vector<size_t> character_ends(std::string_view text) {
  std::vector<size_t> ends;
  for (size_t at = 0; at < text.size();) {
    text::next_code_point(text, at);
    ends.push_back(at);
  }
  return ends;
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string valid;
  while (const std::optional<size_t> wrong = text::find_invalid_utf8(text)) {
    valid += text.substr(0, *wrong);
    valid += "\uFFFD";
    text.remove_prefix(*wrong + 1);
  }
  valid += text;
  std::string clean;
  for (size_t at = 0; at < valid.size();) {
    const size_t begin = at;
    const char32_t c = text::next_code_point(valid, at);
    if (c == '\t' || c == '\n') {
      clean += ' ';
    } else if (is_allowed(c)) {
      clean += valid.substr(begin, at - begin);
    }
  }
  return with_visible_directions(clean);
}

double drawn_width(std::string_view text, double size) {
  double width = 0;
  for (size_t at = 0; at < text.size();) width += width_of(text::next_code_point(text, at));
  return width * size;
}

std::string shortened(const std::string& text, double size, double width) {
  if (drawn_width(text, size) <= width) return text;
  const std::vector<size_t> ends = character_ends(text);
  // Three parts of the beginning to two of the end.
  for (size_t kept = ends.size() - 1; kept > 0; --kept) {
    const size_t last = kept * 2 / 5;
    std::string shorter = text.substr(0, ends[kept - last - 1]) + std::string(kEllipsis) +
                          text.substr(ends[ends.size() - last - 1]);
    if (drawn_width(shorter, size) <= width) return shorter;
  }
  return std::string(kEllipsis);
}

std::vector<std::string> text_lines(const std::string& text, double size, double width) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t space = std::min(text.find(' ', at), text.size());
    const std::string word = shortened(text.substr(at, space - at), size, width);
    at = space + 1;
    if (word.empty()) continue;
    if (!lines.empty() && drawn_width(lines.back() + ' ' + word, size) <= width) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace palimpsest::report
