#include "palimpsest/tokenizer/internal/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/text/internal/utf8.h"
#include "palimpsest/tokenizer/internal/unicode_tables.h"

namespace palimpsest::tokenizer {
namespace {

constexpr char32_t kCodePoints = 0x110000;

// A bit a code point: a look-up costs one memory access.
class CodePointSet {
 public:
  CodePointSet(const CodePointRange* ranges, size_t size) : bits_(kCodePoints / 64) {
    for (const CodePointRange& range : std::span(ranges, size)) {
      for (uint32_t c = range.first; c <= range.last; ++c) bits_[c / 64] |= uint64_t{1} << (c % 64);
    }
  }

  bool contains(char32_t c) const {
    return c < kCodePoints && ((bits_[c / 64] >> (c % 64)) & 1) != 0;
  }

 private:
  std::vector<uint64_t> bits_;
};

}  // namespace

bool is_white_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

size_t before_trailing_space(std::string_view text) {
  size_t end = text.size();
  while (end > 0) {
    const size_t previous = text::previous_boundary(text, end);
    size_t position = previous;
    if (!is_white_space(text::next_code_point(text, position))) break;
    end = previous;
  }
  return end;
}

size_t behind_leading_space(std::string_view text) {
  size_t begin = 0;
  while (begin < text.size()) {
    size_t next = begin;
    if (!is_white_space(text::next_code_point(text, next))) break;
    begin = next;
  }
  return begin;
}

bool is_numeric(char32_t c) {
  if (c < 0x80) return c >= '0' && c <= '9';
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_ND || category == UTF8PROC_CATEGORY_NL ||
         category == UTF8PROC_CATEGORY_NO;
}

bool is_punctuation(char32_t c) {
  static const CodePointSet set(kPunctuation, kPunctuationSize);
  return set.contains(c);
}

bool is_word_character(char32_t c) {
  static const CodePointSet set(kWord, kWordSize);
  return set.contains(c);
}

bool is_mark(char32_t c) {
  static const CodePointSet set(kMark, kMarkSize);
  return set.contains(c);
}

bool is_nonspacing_mark(char32_t c) {
  static const CodePointSet set(kNonspacingMark, kNonspacingMarkSize);
  return set.contains(c);
}

bool is_other(char32_t c) {
  static const CodePointSet set(kOther, kOtherSize);
  return set.contains(c);
}

bool is_chinese_character(char32_t c) {
  static constexpr CodePointRange kRanges[] = {
      {0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
      {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F},
  };
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [&](const CodePointRange& r) { return c >= r.first && c <= r.last; });
}

int script_of(char32_t c) {
  const std::span<const ScriptRange> table(kScripts, kScriptsSize);
  const auto after = std::upper_bound(
      table.begin(), table.end(), c,
      [](char32_t value, const ScriptRange& range) { return value < range.first; });
  if (after == table.begin()) return 0;
  const ScriptRange& range = *std::prev(after);
  return c <= range.last ? range.script : 0;
}

void append_lower_case(std::u32string& text, char32_t c) {
  if (c == 0x130) {
    text += U"i\u0307";
  } else if (c < 0x80) {
    text += c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  } else {
    text += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
  }
}

}  // namespace palimpsest::tokenizer
