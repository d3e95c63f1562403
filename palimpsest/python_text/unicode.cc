#include "palimpsest/python_text/internal/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

#include "palimpsest/python_text/internal/unicode_tables.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::python_text {
namespace {

template <size_t N>
bool contains(const Range (&ranges)[N], char32_t c) {
  const auto* after = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                       [](char32_t x, const Range& r) { return x < r.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last;
}

const SpecialCase* special_case(char32_t c) {
  const auto* found =
      std::lower_bound(std::begin(kSpecialCases), std::end(kSpecialCases), c,
                       [](const SpecialCase& s, char32_t x) { return s.letter < x; });
  return found != std::end(kSpecialCases) && found->letter == c ? found : nullptr;
}

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

char32_t simple_title(char32_t c) {
  return static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(c)));
}

void append_upper(std::u32string& out, char32_t c) {
  if (const SpecialCase* special = special_case(c)) {
    out += special->upper;
  } else if (c >= 0x1f80 && c <= 0x1faf) {
    // Greek vowels with iota below: the capital vowel, then a capital iota.
    constexpr char32_t kCapitals[] = {0x1f08, 0x1f28, 0x1f68};
    out += static_cast<char32_t>(kCapitals[(c - 0x1f80) >> 4] + (c & 7));
    out += U'\u0399';
  } else {
    out += static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c)));
  }
}

void append_title(std::u32string& out, char32_t c) {
  const SpecialCase* special = special_case(c);
  if (special == nullptr) {
    out += simple_title(c);
  } else {
    out += special->title != nullptr ? special->title : special->upper;
  }
}

bool is_cased(char32_t c) {
  return is_lower(c) || is_upper(c) || is_title(c);
}

bool is_case_ignorable(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return contains(kCaseIgnorable, c);
  }
}

// A sigma is final after a cased letter and before none, marks between them aside.
bool is_final_sigma(const std::u32string& text, size_t i) {
  size_t before = i;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  size_t after = i + 1;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

void append_lower(std::u32string& out, const std::u32string& text, size_t i) {
  const char32_t c = text[i];
  if (c == 0x130) {
    out += U"i\u0307";
  } else if (c == 0x3a3) {
    out += is_final_sigma(text, i) ? U'\u03c2' : U'\u03c3';
  } else {
    out += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
  }
}

}  // namespace

size_t byte_offset(std::string_view text, int64_t index) {
  size_t offset = 0;
  for (; offset < text.size(); ++offset) {
    if (text::is_utf8_continuation(text[offset])) continue;
    if (index == 0) break;
    --index;
  }
  return offset;
}

bool is_space(char32_t c) {
  return contains(kSpaces, c);
}

bool is_line_break(char32_t c) {
  return (c >= 0xa && c <= 0xd) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

bool is_alpha(char32_t c) {
  const utf8proc_category_t k = category(c);
  return k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO;
}

bool is_decimal(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_ND;
}

bool is_digit(char32_t c) {
  return is_decimal(c) || contains(kOtherDigits, c);
}

bool is_numeric(char32_t c) {
  const utf8proc_category_t k = category(c);
  return (k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO) || contains(kNumericLetters, c);
}

bool is_alnum(char32_t c) {
  return is_alpha(c) || is_numeric(c) || is_digit(c);
}

bool is_lower(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LL || contains(kOtherLower, c);
}

bool is_upper(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LU || contains(kOtherUpper, c);
}

bool is_title(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LT;
}

bool is_printable(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    case UTF8PROC_CATEGORY_ZS:
      return c == U' ';
    default:
      return true;
  }
}

bool is_word(char32_t c) {
  const utf8proc_category_t k = category(c);
  return c == U'_' || is_alnum(c) || k == UTF8PROC_CATEGORY_MN || k == UTF8PROC_CATEGORY_MC ||
         k == UTF8PROC_CATEGORY_PC || c == 0xb7;
}

bool is_identifier_start(char32_t c) {
  return c == U'_' || is_alpha(c) || category(c) == UTF8PROC_CATEGORY_NL;
}

std::string to_lower(std::string_view text) {
  const std::u32string points = text::to_code_points(text);
  std::u32string out;
  for (size_t i = 0; i < points.size(); ++i) append_lower(out, points, i);
  return text::to_utf8(out);
}

std::string to_upper(std::string_view text) {
  std::u32string out;
  for (const char32_t c : text::to_code_points(text)) append_upper(out, c);
  return text::to_utf8(out);
}

std::string to_title(std::string_view text) {
  const std::u32string points = text::to_code_points(text);
  std::u32string out;
  bool after_cased = false;
  for (size_t i = 0; i < points.size(); ++i) {
    if (after_cased) {
      append_lower(out, points, i);
    } else {
      append_title(out, points[i]);
    }
    after_cased = is_cased(points[i]);
  }
  return text::to_utf8(out);
}

std::string capitalize(std::string_view text) {
  const std::u32string points = text::to_code_points(text);
  std::u32string out;
  for (size_t i = 0; i < points.size(); ++i) {
    if (i == 0) {
      append_title(out, points[i]);
    } else {
      append_lower(out, points, i);
    }
  }
  return text::to_utf8(out);
}

std::string swap_case(std::string_view text) {
  const std::u32string points = text::to_code_points(text);
  std::u32string out;
  for (size_t i = 0; i < points.size(); ++i) {
    if (is_upper(points[i])) {
      append_lower(out, points, i);
    } else if (is_lower(points[i])) {
      append_upper(out, points[i]);
    } else {
      out += points[i];
    }
  }
  return text::to_utf8(out);
}

bool text_is_lower(std::string_view text) {
  bool any = false;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = text::next_code_point(text, at);
    if (is_upper(c) || is_title(c)) return false;
    any = any || is_lower(c);
  }
  return any;
}

bool text_is_upper(std::string_view text) {
  bool any = false;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = text::next_code_point(text, at);
    if (is_lower(c) || is_title(c)) return false;
    any = any || is_upper(c);
  }
  return any;
}

bool is_identifier(std::string_view text) {
  if (text.empty()) return false;
  size_t offset = 0;
  if (!is_identifier_start(text::next_code_point(text, offset))) return false;
  while (offset < text.size()) {
    const char32_t c = text::next_code_point(text, offset);
    if (!is_word(c) || (is_numeric(c) && !is_decimal(c) && !is_identifier_start(c))) return false;
  }
  return true;
}

}  // namespace palimpsest::python_text
