#include "palimpsest/text/internal/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "palimpsest/base/error.h"

namespace palimpsest::text {
namespace {

struct Form {
  size_t length = 0;  // of the character, or of the maximal ill-formed part
  bool valid = false;
};

// The well-formed byte sequences of Unicode's table 3-7.
Form form_at(std::string_view text, size_t position) {
  const auto byte = [&](size_t i) -> unsigned {
    return position + i < text.size() ? static_cast<unsigned char>(text[position + i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return {1, true};
  size_t length = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  } else {
    return {1, false};
  }
  for (size_t i = 1; i < length; ++i) {
    if (byte(i) < low || byte(i) > high) return {i, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

}  // namespace

std::optional<size_t> find_invalid_utf8(std::string_view text) {
  size_t position = 0;
  while (position < text.size()) {
    uint64_t word;
    if (position + sizeof word <= text.size()) {
      std::memcpy(&word, text.data() + position, sizeof word);
      if ((word & 0x8080808080808080U) == 0) {
        position += sizeof word;
        continue;
      }
    }
    const Form form = form_at(text, position);
    if (!form.valid) return position;
    position += form.length;
  }
  return std::nullopt;
}

void validate_utf8(std::string_view text) {
  if (const auto offset = find_invalid_utf8(text)) {
    throw Error({.what = "the text is not valid UTF-8",
                 .where = fmt::format("byte {}", *offset),
                 .found = fmt::format("0x{:02X}", static_cast<unsigned char>(text[*offset])),
                 .hint = "convert the text to UTF-8 first"});
  }
}

void append_utf8(std::string& text, char32_t c) {
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0 | (c >> 6));
    text += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    text += static_cast<char>(0xE0 | (c >> 12));
    text += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | (c >> 18));
    text += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    text += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (c & 0x3F));
  }
}

std::string to_utf8(char32_t c) {
  std::string text;
  append_utf8(text, c);
  return text;
}

std::string to_utf8(std::u32string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (const char32_t c : text) append_utf8(bytes, c);
  return bytes;
}

std::u32string to_code_points(std::string_view text) {
  std::u32string characters;
  characters.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    characters += next_code_point(text, position);
  }
  return characters;
}

size_t count_code_points(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_utf8_continuation(c); }));
}

std::string lossy_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (size_t position = 0; position < bytes.size();) {
    const Form form = form_at(bytes, position);
    if (form.valid) {
      text.append(bytes, position, form.length);
    } else {
      append_utf8(text, U'\uFFFD');
    }
    position += form.length;
  }
  return text;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  size_t position = 0;
  if (from.empty()) {
    while (position < text.size()) {
      const size_t length = utf8_length(text[position]);
      result.append(to).append(text, position, length);
      position += length;
    }
    return result.append(to);
  }
  for (size_t found; (found = text.find(from, position)) != std::string_view::npos;) {
    result.append(text, position, found - position).append(to);
    position = found + from.size();
  }
  return result.append(text, position);
}

}  // namespace palimpsest::text
