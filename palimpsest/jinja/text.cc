#include "palimpsest/jinja/internal/text.h"

#include "palimpsest/python_text/internal/unicode.h"
#include "palimpsest/text/utf8.h"

namespace palimpsest::jinja {
namespace {

// An empty `old_part` is found between all characters.
std::string replace_between(std::string_view text, std::string_view new_part, int64_t most) {
  std::string out;
  int64_t done = 0;
  for (size_t at = 0; at <= text.size();) {
    if (most < 0 || done < most) {
      out += new_part;
      ++done;
    }
    if (at == text.size()) break;
    const size_t begin = at;
    text::next_code_point(text, at);
    out += text.substr(begin, at - begin);
  }
  return out;
}

}  // namespace

std::string replace(std::string_view text, std::string_view old_part, std::string_view new_part,
                    int64_t most, Budget& budget) {
  budget.spend_bytes(text.size());
  if (old_part.empty()) {
    budget.require(static_cast<int64_t>((text.size() + 1) * (new_part.size() + 1)));
    return replace_between(text, new_part, most);
  }
  std::string out;
  for (int64_t done = 0; most < 0 || done < most; ++done) {
    const size_t found = text.find(old_part);
    if (found == std::string_view::npos) break;
    out += text.substr(0, found);
    out += new_part;
    budget.spend_bytes(new_part.size());
    budget.require(static_cast<int64_t>(out.size()));
    text.remove_prefix(found + old_part.size());
  }
  return out.append(text);
}

std::string title_words(std::string_view text) {
  const std::u32string points = text::to_code_points(text);
  const auto separates = [](char32_t c) {
    return python_text::is_space(c) ||
           std::u32string_view(U"-({[<").find(c) != std::u32string_view::npos;
  };
  std::string out;
  // Runs of separators and of other characters are words of their own, as Jinja splits them.
  for (size_t begin = 0; begin < points.size();) {
    size_t end = begin + 1;
    while (end < points.size() && separates(points[end]) == separates(points[begin])) ++end;
    out += python_text::to_upper(text::to_utf8(points.substr(begin, 1)));
    out += python_text::to_lower(text::to_utf8(points.substr(begin + 1, end - begin - 1)));
    begin = end;
  }
  return out;
}

int64_t count_words(std::string_view text) {
  int64_t words = 0;
  bool inside = false;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = text::next_code_point(text, at);
    const bool word = c == U'_' || python_text::is_alnum(c);
    if (word && !inside) ++words;
    inside = word;
  }
  return words;
}

}  // namespace palimpsest::jinja
