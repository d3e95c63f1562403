#include "palimpsest/config/internal/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "palimpsest/config/internal/scalar.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::config {
namespace {

constexpr int64_t kWidth = 80;       // lines are folded at the first space behind it
constexpr size_t kLongestKey = 128;  // longer ones are written with a question mark
constexpr size_t kKeyTagLength = 5;  // PyYAML counts the length of the tag !!str too

bool is_break(char32_t c) {
  return c == U'\n' || c == U'\x85' || c == U'\u2028' || c == U'\u2029';
}

bool is_space_or_break(char32_t c) {
  return c == U'\0' || c == U' ' || c == U'\t' || c == U'\r' || is_break(c);
}

bool is_in(char32_t c, std::u32string_view set) {
  return set.find(c) != std::u32string_view::npos;
}

// Characters that may stand in a document as they are.
bool is_printable(char32_t c) {
  return (c >= 0x20 && c <= 0x7E) || c == 0x85 || (c >= 0xA0 && c <= 0xD7FF) ||
         (c >= 0xE000 && c <= 0xFFFD && c != 0xFEFF) || (c >= 0x10000 && c < 0x10FFFF);
}

// Those that PyYAML leaves unescaped between double quotes.
bool is_unescaped(char32_t c) {
  return is_printable(c) && c < 0x10000 && c != U'"' && c != U'\\' && !is_break(c);
}

std::string escaped(char32_t c) {
  constexpr std::pair<char32_t, char> kNamed[] = {
      {0x00, '0'},   {0x07, 'a'}, {0x08, 'b'}, {0x09, 't'},   {0x0A, 'n'},
      {0x0B, 'v'},   {0x0C, 'f'}, {0x0D, 'r'}, {0x1B, 'e'},   {U'"', '"'},
      {U'\\', '\\'}, {0x85, 'N'}, {0xA0, '_'}, {0x2028, 'L'}, {0x2029, 'P'}};
  for (const auto& [character, name] : kNamed) {
    if (c == character) return {'\\', name};
  }
  if (c <= 0xFF) return fmt::format("\\x{:02X}", static_cast<uint32_t>(c));
  if (c <= 0xFFFF) return fmt::format("\\u{:04X}", static_cast<uint32_t>(c));
  return fmt::format("\\U{:08X}", static_cast<uint32_t>(c));
}

// An indicator is a character that would mean something else in a plain scalar.
bool has_indicator(std::u32string_view text) {
  if (text.starts_with(U"---") || text.starts_with(U"...")) return true;
  for (size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    const bool before_space = i + 1 >= text.size() || is_space_or_break(text[i + 1]);
    const bool after_space = i == 0 || is_space_or_break(text[i - 1]);
    if (i == 0 && (is_in(c, U"#,[]{}&*!|>'\"%@`") || (is_in(c, U"?:-") && before_space))) {
      return true;
    }
    if (i > 0 && ((c == U':' && before_space) || (c == U'#' && after_space))) return true;
  }
  return false;
}

}  // namespace

struct YamlText::Shape {
  bool plain = true;
  bool single_quoted = true;
  bool several_lines = false;
};

YamlText::Shape YamlText::shape_of(std::u32string_view text) {
  Shape shape;
  if (text.empty()) return shape;
  const auto blank = [](char32_t c) { return c == U' ' || is_break(c); };
  bool escapes = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    shape.several_lines |= is_break(c);
    escapes |= c != U'\n' && !is_printable(c);
    if (i == 0) continue;
    if (is_break(text[i - 1]) && c == U' ') shape.single_quoted = false;
    if (text[i - 1] == U' ' && is_break(c)) escapes = true;
  }
  if (escapes) shape.single_quoted = false;
  shape.plain = shape.single_quoted && !shape.several_lines && !blank(text.front()) &&
                !blank(text.back()) && !has_indicator(text);
  return shape;
}

void YamlText::raw(std::string_view text) {
  out_ += text;
  column_ += static_cast<int64_t>(text::count_code_points(text));
}

void YamlText::end_line() {
  out_ += '\n';
  column_ = 0;
}

void YamlText::indent_to(int64_t column) {
  if (column_ < column) raw(std::string(static_cast<size_t>(column - column_), ' '));
}

void YamlText::put(std::u32string_view text) {
  out_ += text::to_utf8(text);
  column_ += static_cast<int64_t>(text.size());
}

void YamlText::put(char32_t c) {
  put(std::u32string_view(&c, 1));
}

void YamlText::new_line(int64_t indent) {
  end_line();
  indent_to(indent);
}

void YamlText::separate() {
  if (!out_.empty() && out_.back() != ' ' && out_.back() != '\n') raw(" ");
}

void YamlText::write_word(std::string_view word) {
  separate();
  raw(word);
  last_was_quoted_ = false;
}

void YamlText::write_text(std::string_view text, int64_t indent) {
  write_scalar(text, indent, false);
}

bool YamlText::write_key(std::string_view key, int64_t indent) {
  const std::u32string text = text::to_code_points(key);
  const Shape shape = shape_of(text);
  const bool simple =
      !text.empty() && !shape.several_lines && text.size() + kKeyTagLength < kLongestKey;
  if (simple) {
    write_scalar(key, indent + 2, true);
  } else {
    raw("?");
    write_scalar(key, indent + 2, false);
    new_line(indent);
  }
  raw(":");
  return simple;
}

void YamlText::write_scalar(std::string_view text, int64_t indent, bool is_key) {
  const std::u32string characters = text::to_code_points(text);
  const Shape shape = shape_of(characters);
  const bool fold = !is_key;
  separate();
  last_was_quoted_ = true;
  if (shape.plain && is_safe_plain_text(text)) {
    last_was_quoted_ = false;
    write_plain(characters, indent, fold);
  } else if (shape.single_quoted && !(is_key && shape.several_lines)) {
    write_single_quoted(characters, indent, fold);
  } else {
    write_double_quoted(characters, indent, fold);
  }
}

// Words stay whole; one space behind column 80 becomes a line break.
void YamlText::write_plain(std::u32string_view text, int64_t indent, bool fold) {
  size_t position = 0;
  while (position < text.size()) {
    const bool spaces = text[position] == U' ';
    size_t end = position;
    while (end < text.size() && (text[end] == U' ') == spaces) ++end;
    if (spaces && end - position == 1 && column_ > kWidth && fold) {
      new_line(indent);
    } else {
      put(text.substr(position, end - position));
    }
    position = end;
  }
}

void YamlText::write_single_quoted(std::u32string_view text, int64_t indent, bool fold) {
  put(U'\'');
  size_t position = 0;
  const auto run = [&](auto&& belongs) {
    size_t end = position;
    while (end < text.size() && belongs(text[end])) ++end;
    return end;
  };
  while (position < text.size()) {
    const char32_t c = text[position];
    size_t end = position + 1;
    if (c == U' ') {
      end = run([](char32_t d) { return d == U' '; });
      const bool inside = position != 0 && end != text.size();
      if (end - position == 1 && column_ > kWidth && fold && inside) {
        new_line(indent);
      } else {
        put(text.substr(position, end - position));
      }
    } else if (is_break(c)) {
      // One break more than the text has, since a single one would be read as a space.
      end = run(is_break);
      if (c == U'\n') end_line();
      for (const char32_t d : text.substr(position, end - position)) {
        if (d != U'\n') out_ += text::to_utf8(d);
        if (d == U'\n') out_ += '\n';
        column_ = 0;
      }
      indent_to(indent);
    } else if (c == U'\'') {
      put(U"''");
    } else {
      end = run([](char32_t d) { return d != U' ' && d != U'\'' && !is_break(d); });
      put(text.substr(position, end - position));
    }
    position = end;
  }
  put(U'\'');
}

// A backslash at the end of a line joins it to the next; a space there is kept by a backslash.
void YamlText::write_double_quoted(std::u32string_view text, int64_t indent, bool fold) {
  put(U'"');
  size_t start = 0;  // of what is not written yet
  for (size_t end = 0; end <= text.size(); ++end) {
    const bool at_end = end == text.size();
    if (at_end || !is_unescaped(text[end])) {
      if (start < end) put(text.substr(start, end - start));
      start = end;
      if (!at_end) {
        raw(escaped(text[end]));
        start = end + 1;
      }
    }
    const int64_t pending = static_cast<int64_t>(end) - static_cast<int64_t>(start);
    if (end > 0 && end + 1 < text.size() && (text[end] == U' ' || start >= end) &&
        column_ + pending > kWidth && fold) {
      if (start < end) put(text.substr(start, end - start));
      start = std::max(start, end);
      put(U'\\');
      new_line(indent);
      if (text[start] == U' ') put(U'\\');
    }
  }
  put(U'"');
}

}  // namespace palimpsest::config
