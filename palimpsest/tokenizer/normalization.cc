#include "palimpsest/tokenizer/internal/normalization.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <optional>

#include "palimpsest/text/internal/utf8.h"
#include "palimpsest/tokenizer/internal/unicode.h"

namespace palimpsest::tokenizer {
namespace {

// Characters with decompositions that came after Unicode 9.
bool has_decomposition_newer_than_unicode_9(char32_t c) {
  static constexpr std::array<std::array<char32_t, 2>, 20> kRanges = {{
      {0x32FF, 0x32FF},   {0xA7F1, 0xA7F4},   {0xAB69, 0xAB69},   {0x105C9, 0x105C9},
      {0x105E4, 0x105E4}, {0x10781, 0x107BA}, {0x11383, 0x11383}, {0x11385, 0x11385},
      {0x1138E, 0x1138E}, {0x11391, 0x11391}, {0x113C5, 0x113C8}, {0x11938, 0x11938},
      {0x16121, 0x16128}, {0x16D68, 0x16D6A}, {0x1CCD6, 0x1CCF9}, {0x1E030, 0x1E06D},
      {0x1F16C, 0x1F16C}, {0x1FBF0, 0x1FBF9}, {0x11382, 0x11382}, {0x11384, 0x11384},
  }};
  if (c < 0x32FF) return false;
  return std::any_of(kRanges.begin(), kRanges.end(),
                     [&](const auto& range) { return c >= range[0] && c <= range[1]; });
}

int combining_class(char32_t c) {
  if (c < 0x300 || !is_mark(c)) return 0;
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

// The longest full decomposition is U+FDFA's, 18 characters.
using Decomposition = std::array<utf8proc_int32_t, 32>;

size_t decompose(char32_t c, bool compatible, Decomposition& parts) {
  parts[0] = static_cast<utf8proc_int32_t>(c);
  if (c < 0xA0 || has_decomposition_newer_than_unicode_9(c)) return 1;
  const int options = UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0);
  int last_boundary = 0;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts.data(), parts.size(),
                              static_cast<utf8proc_option_t>(options), &last_boundary);
  if (count < 1 || count > static_cast<utf8proc_ssize_t>(parts.size())) return 1;
  return static_cast<size_t>(count);
}

// The primary composite of two characters.
std::optional<char32_t> compose(char32_t a, char32_t b) {
  if (b < 0x300) return std::nullopt;
  std::array<utf8proc_int32_t, 2> pair = {static_cast<utf8proc_int32_t>(a),
                                          static_cast<utf8proc_int32_t>(b)};
  const int options = UTF8PROC_COMPOSE | UTF8PROC_STABLE;
  const utf8proc_ssize_t count =
      utf8proc_normalize_utf32(pair.data(), 2, static_cast<utf8proc_option_t>(options));
  const auto composite = static_cast<char32_t>(pair[0]);
  if (count != 1 || has_decomposition_newer_than_unicode_9(composite)) return std::nullopt;
  return composite;
}

struct Part {
  Change change;
  int combining_class = 0;
};

// In canonical order.
std::vector<Part> decomposed(std::string_view text, bool compatible) {
  std::vector<Part> parts;
  parts.reserve(text.size());
  size_t pending = 0;  // parts from here on are not yet in order
  const auto sort_pending = [&] {
    std::stable_sort(
        parts.begin() + static_cast<std::ptrdiff_t>(pending), parts.end(),
        [](const Part& a, const Part& b) { return a.combining_class < b.combining_class; });
    pending = parts.size();
  };
  Decomposition buffer;
  for (size_t position = 0; position < text.size();) {
    const char32_t c = text::next_code_point(text, position);
    const size_t count = decompose(c, compatible, buffer);
    for (size_t i = 0; i < count; ++i) {
      const auto part = static_cast<char32_t>(buffer[i]);
      const int order = combining_class(part);
      if (order == 0) {
        if (parts.size() - pending > 1) sort_pending();
        pending = parts.size();
      }
      parts.push_back({{part, i == 0 ? 0 : 1}, order});
    }
  }
  sort_pending();
  return parts;
}

std::vector<Change> composed(const std::vector<Part>& parts) {
  std::vector<Change> result;
  result.reserve(parts.size());
  std::optional<size_t> starter;  // its index in `result`
  int last_class = -1;  // of the last character behind the starter that did not compose, if any
  for (const Part& part : parts) {
    if (starter && last_class < part.combining_class) {
      if (const auto composite = compose(result[*starter].character, part.change.character)) {
        result[*starter].character = *composite;
        result[*starter].change += part.change.change - 1;
        continue;
      }
    }
    result.push_back(part.change);
    if (part.combining_class == 0) {
      starter = result.size() - 1;
      last_class = -1;
    } else if (starter) {
      last_class = part.combining_class;
    }
  }
  return result;
}

}  // namespace

std::vector<Change> normalization_changes(std::string_view text, NormalizationForm form) {
  const bool compatible = form == NormalizationForm::kNfkc || form == NormalizationForm::kNfkd;
  const std::vector<Part> parts = decomposed(text, compatible);
  if (form == NormalizationForm::kNfc || form == NormalizationForm::kNfkc) return composed(parts);
  std::vector<Change> changes;
  changes.reserve(parts.size());
  for (const Part& part : parts) changes.push_back(part.change);
  return changes;
}

bool is_surely_normalized(std::string_view text, NormalizationForm form) {
  // Below these no character decomposes, combines or composes with the one before it.
  const char32_t limit = form == NormalizationForm::kNfc   ? 0x300
                         : form == NormalizationForm::kNfd ? 0xC0
                                                           : 0xA0;
  for (size_t position = 0; position < text.size();) {
    const char32_t c = text::next_code_point(text, position);
    if (c < limit) continue;
    if (form != NormalizationForm::kNfc) return false;
    // Wide stretches of the plane where nothing happens: Cyrillic to Armenian without its marks,
    // Kana without voiced marks, unified ideographs, most emoji.
    const bool inert = (c >= 0x30A1 && c <= 0x30FA) || (c >= 0x3041 && c <= 0x3096) ||
                       (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x400 && c <= 0x482) ||
                       (c >= 0x48A && c <= 0x590) || (c >= 0x2000 && c <= 0x20CF && c > 0x2001) ||
                       (c >= 0x3001 && c <= 0x3029) || (c >= 0xAC00 && c <= 0xD7A3) ||
                       (c >= 0xFF00 && c <= 0xFFEF) || (c >= 0x1F300 && c <= 0x1FAFF);
    if (!inert) return false;
  }
  return true;
}

}  // namespace palimpsest::tokenizer
