#include "palimpsest/python_text/internal/text.h"

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/python_text/internal/unicode.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::python_text {
namespace {

// The code point that ends at `end`, which moves in front of it.
char32_t previous_code_point(std::string_view text, size_t& end) {
  end = text::previous_boundary(text, end);
  size_t at = end;
  return text::next_code_point(text, at);
}

std::vector<std::string> split_at_space(std::string_view text, int64_t most) {
  std::vector<std::string> parts;
  size_t at = 0;
  while (true) {
    const std::string_view rest = strip(text.substr(at), Side::kLeft);
    at = text.size() - rest.size();
    if (rest.empty()) return parts;
    if (most >= 0 && static_cast<int64_t>(parts.size()) == most) {
      parts.emplace_back(rest);
      return parts;
    }
    size_t end = at;
    for (size_t next = at; next < text.size(); end = next) {
      if (is_space(text::next_code_point(text, next))) break;
    }
    parts.emplace_back(text.substr(at, end - at));
    at = end;
  }
}

std::vector<std::string> split_at_space_right(std::string_view text, int64_t most) {
  std::vector<std::string> parts;
  while (true) {
    text = strip(text, Side::kRight);
    if (text.empty()) break;
    if (most >= 0 && static_cast<int64_t>(parts.size()) == most) {
      parts.emplace_back(text);
      break;
    }
    size_t begin = text.size();
    for (size_t next = begin; next > 0; begin = next) {
      if (is_space(previous_code_point(text, next))) break;
    }
    parts.emplace_back(text.substr(begin));
    text = text.substr(0, begin);
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

void require_separator(const std::string& separator) {
  if (separator.empty()) throw Error("a text cannot be split by an empty text");
}

}  // namespace

std::string_view strip(std::string_view text, Side side,
                       const std::optional<std::string>& characters) {
  const std::u32string set = characters ? text::to_code_points(*characters) : std::u32string();
  const auto stripped = [&](char32_t c) {
    return characters ? set.find(c) != std::u32string::npos : is_space(c);
  };
  const auto has = [&](Side part) {
    return (static_cast<int>(side) & static_cast<int>(part)) != 0;
  };
  if (has(Side::kLeft)) {
    size_t begin = 0;
    for (size_t next = 0; next < text.size(); begin = next) {
      if (!stripped(text::next_code_point(text, next))) break;
    }
    text.remove_prefix(begin);
  }
  if (has(Side::kRight)) {
    size_t end = text.size();
    for (size_t next = end; next > 0; end = next) {
      if (!stripped(previous_code_point(text, next))) break;
    }
    text = text.substr(0, end);
  }
  return text;
}

std::vector<std::string> split(std::string_view text, const std::optional<std::string>& separator,
                               int64_t most) {
  if (!separator) return split_at_space(text, most);
  require_separator(*separator);
  std::vector<std::string> parts;
  while (most < 0 || static_cast<int64_t>(parts.size()) < most) {
    const size_t found = text.find(*separator);
    if (found == std::string_view::npos) break;
    parts.emplace_back(text.substr(0, found));
    text.remove_prefix(found + separator->size());
  }
  parts.emplace_back(text);
  return parts;
}

std::vector<std::string> split_right(std::string_view text,
                                     const std::optional<std::string>& separator, int64_t most) {
  if (!separator) return split_at_space_right(text, most);
  require_separator(*separator);
  std::vector<std::string> parts;
  while (most < 0 || static_cast<int64_t>(parts.size()) < most) {
    const size_t found = text.rfind(*separator);
    if (found == std::string_view::npos) break;
    parts.emplace_back(text.substr(found + separator->size()));
    text = text.substr(0, found);
  }
  parts.emplace_back(text);
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string> split_lines(std::string_view text, bool keep_ends) {
  std::vector<std::string> lines;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = at;
    const char32_t c = text::next_code_point(text, at);
    if (!is_line_break(c)) continue;
    if (c == U'\r' && at < text.size() && text[at] == '\n') ++at;
    lines.emplace_back(text.substr(begin, (keep_ends ? at : end) - begin));
    begin = at;
  }
  if (begin < text.size()) lines.emplace_back(text.substr(begin));
  return lines;
}

}  // namespace palimpsest::python_text
