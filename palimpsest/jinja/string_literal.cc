// The escape sequences of string literals in templates.
#include "palimpsest/base/error.h"
#include "palimpsest/jinja/internal/lexer.h"
#include "palimpsest/python_text/internal/repr.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::jinja {
namespace {

// Up to `most` digits of a base from `at` on, which moves behind them.
char32_t read_digits(std::string_view text, size_t& at, size_t most, int base, size_t& count) {
  char32_t value = 0;
  for (count = 0; count < most && at < text.size() && digit_value(text[at]) < base; ++count) {
    value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit_value(text[at++]));
  }
  return value;
}

char32_t read_hexadecimal(std::string_view text, size_t& at, size_t digits) {
  size_t count = 0;
  const char32_t value = read_digits(text, at, digits, 16, count);
  if (count != digits) throw Error("an escape in a text is cut short");
  if (value > 0x10ffff) throw Error("an escape in a text names no character");
  if (value >= 0xd800 && value < 0xe000) {
    throw Error({.what = "an escape in a text names half a character (a surrogate)",
                 .hint = "write the character itself or \\U with eight digits"});
  }
  return value;
}

void append_escape(std::string& out, std::string_view text, size_t& at) {
  constexpr std::string_view kLetters = "\\'\"abfnrtv";
  constexpr std::string_view kMeanings = "\\'\"\a\b\f\n\r\t\v";
  const char letter = text[at];
  if (letter == '\n') {
    ++at;
  } else if (const size_t known = kLetters.find(letter); known != std::string_view::npos) {
    out += kMeanings[known];
    ++at;
  } else if (letter >= '0' && letter <= '7') {
    size_t count = 0;
    text::append_utf8(out, read_digits(text, at, 3, 8, count));
  } else if (letter == 'x' || letter == 'u' || letter == 'U') {
    ++at;
    text::append_utf8(out, read_hexadecimal(text, at, letter == 'x' ? 2 : letter == 'u' ? 4 : 8));
  } else if (letter == 'N') {
    throw Error("\\N{…} in a text is not supported");
  } else {
    // Jinja turns what is not ASCII into an escape before it reads escapes, so that a backslash in
    // front of such a character keeps that escape's letters.
    const char32_t c = text::next_code_point(text, at);
    out += c < 0x80 ? std::string{'\\', static_cast<char>(c)} : python_text::escape(c);
  }
}

}  // namespace

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const auto lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

std::string unescape_literal(std::string_view content) {
  std::string out;
  for (size_t at = 0; at < content.size();) {
    const size_t backslash = content.find('\\', at);
    out += content.substr(at, backslash - at);
    if (backslash == std::string_view::npos || backslash + 1 >= content.size()) break;
    at = backslash + 1;
    append_escape(out, content, at);
  }
  return out;
}

}  // namespace palimpsest::jinja
