#include "palimpsest/tokenizer/internal/normalizers.h"

#include <utf8proc.h>

#include "palimpsest/text/internal/utf8.h"
#include "palimpsest/tokenizer/internal/byte_level.h"
#include "palimpsest/tokenizer/internal/charsmap.h"
#include "palimpsest/tokenizer/internal/normalization.h"
#include "palimpsest/tokenizer/internal/unicode.h"

namespace palimpsest::tokenizer {
namespace {

template <NormalizationForm form>
void normalize_to(NormalizedString& text) {
  if (is_surely_normalized(text.text(), form)) return;
  text.transform(normalization_changes(text.text(), form), 0);
}

void lower_case(NormalizedString& text) {
  std::vector<Change> changes;
  std::u32string lowered;
  for (size_t position = 0; position < text.text().size();) {
    lowered.clear();
    append_lower_case(lowered, text::next_code_point(text.text(), position));
    for (size_t i = 0; i < lowered.size(); ++i) changes.push_back({lowered[i], i == 0 ? 0 : 1});
  }
  text.transform(changes, 0);
}

void strip_accents(NormalizedString& text) {
  text.filter([](char32_t c) { return !is_mark(c); });
}

// SentencePiece's rules for machine translation: controls vanish, odd spaces become spaces.
void normalize_for_translation(NormalizedString& text) {
  text.filter([](char32_t c) {
    return !((c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F ||
             c == 0x8F || c == 0x9F);
  });
  text.map([](char32_t c) {
    const bool space = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                       (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                       c == 0xFEFF || c == 0xFFFD;
    return space ? U' ' : c;
  });
}

size_t grapheme_end(std::string_view text, size_t begin) {
  size_t end = begin;
  auto previous = static_cast<utf8proc_int32_t>(text::next_code_point(text, end));
  utf8proc_int32_t state = 0;
  while (end < text.size()) {
    size_t after = end;
    const auto next = static_cast<utf8proc_int32_t>(text::next_code_point(text, after));
    if (utf8proc_grapheme_break_stateful(previous, next, &state)) break;
    previous = next;
    end = after;
  }
  return end;
}

void add_replacement(std::string_view from, std::string_view to, std::vector<Change>& changes) {
  const auto before = static_cast<int32_t>(text::count_code_points(from));
  int32_t after = 0;
  for (size_t at = 0; at < to.size(); ++after) {
    changes.push_back({text::next_code_point(to, at), after < before ? 0 : 1});
  }
  // Characters that vanish are booked on whatever stands before them.
  if (after < before && !changes.empty()) changes.back().change += after - before;
}

// The map is asked about grapheme clusters of up to five bytes first, then about characters.
void apply_charsmap(const Charsmap& map, NormalizedString& text) {
  const std::string& all = text.text();
  std::vector<Change> changes;
  changes.reserve(all.size());
  bool changed = false;
  for (size_t begin = 0; begin < all.size();) {
    text.require_room(changes.size());
    const size_t end = grapheme_end(all, begin);
    const std::string_view grapheme = std::string_view(all).substr(begin, end - begin);
    const auto whole = grapheme.size() < 6 ? map.transform(grapheme) : std::nullopt;
    if (whole) {
      add_replacement(grapheme, *whole, changes);
      changed = true;
    }
    for (size_t at = 0; !whole && at < grapheme.size();) {
      const size_t start = at;
      const char32_t c = text::next_code_point(grapheme, at);
      const std::string_view part = grapheme.substr(start, at - start);
      if (const auto replacement = map.transform(part)) {
        add_replacement(part, *replacement, changes);
        changed = true;
      } else {
        changes.push_back({c, 0});
      }
    }
    begin = end;
  }
  if (changed) text.transform(changes, 0);
}

void surround_chinese(NormalizedString& text) {
  std::vector<Change> changes;
  bool changed = false;
  for (size_t position = 0; position < text.text().size();) {
    const char32_t c = text::next_code_point(text.text(), position);
    if (is_chinese_character(c)) {
      changes.insert(changes.end(), {{U' ', 0}, {c, 1}, {U' ', 1}});
      changed = true;
    } else {
      changes.push_back({c, 0});
    }
  }
  if (changed) text.transform(changes, 0);
}

// A normalizer without options.
template <void (*normalize)(NormalizedString&)>
Normalizer load_plain_normalizer(ComponentFields&) {
  return normalize;
}

Normalizer load_sequence_normalizer(ComponentFields& fields) {
  return [members = load_sequence<Normalizer>(fields, "normalizers", load_normalizer)](
             NormalizedString& text) {
    for (const Normalizer& member : members) member(text);
  };
}

Normalizer load_strip_normalizer(ComponentFields& fields) {
  const bool left = fields.require_bool("strip_left");
  const bool right = fields.require_bool("strip_right");
  return [left, right](NormalizedString& text) {
    const std::string_view all = text.text();
    const size_t begin = left ? behind_leading_space(all) : 0;
    const size_t end = right ? begin + before_trailing_space(all.substr(begin)) : all.size();
    if (begin > 0 || end < all.size()) text.cut(begin, end);
  };
}

Normalizer load_replace_normalizer(ComponentFields& fields) {
  Pattern pattern = fields.require_pattern("pattern");
  if (pattern.can_match_empty())
    fields.fail("pattern", "can match nothing, which is not supported");
  return [pattern = std::move(pattern),
          content = fields.require_string("content")](NormalizedString& text) {
    std::vector<ByteSpan> matches;
    pattern.find_all(text.text(), matches);
    text.replace(matches, content);
  };
}

Normalizer load_prepend_normalizer(ComponentFields& fields) {
  return
      [prefix = fields.require_string("prepend")](NormalizedString& text) { text.prepend(prefix); };
}

Normalizer load_precompiled_normalizer(ComponentFields& fields) {
  try {
    return [map = Charsmap::from_base64(fields.require_string("precompiled_charsmap"))](
               NormalizedString& text) { apply_charsmap(map, text); };
  } catch (const Error& error) {
    throw error.located(fields.where());
  }
}

Normalizer load_bert_normalizer(ComponentFields& fields) {
  const bool clean_text = fields.require_bool("clean_text");
  const bool handle_chinese_chars = fields.require_bool("handle_chinese_chars");
  const bool lowercase = fields.require_bool("lowercase");
  const bool strips_accents = fields.bool_or("strip_accents", lowercase);
  return [=](NormalizedString& text) {
    if (clean_text) {
      text.filter([](char32_t c) { return !is_other(c); });
      text.map([](char32_t c) { return is_white_space(c) ? U' ' : c; });
    }
    if (handle_chinese_chars) surround_chinese(text);
    if (strips_accents) {
      normalize_to<NormalizationForm::kNfd>(text);
      text.filter([](char32_t c) { return !is_nonspacing_mark(c); });
    }
    if (lowercase) lower_case(text);
  };
}

constexpr ComponentKind<Normalizer> kNormalizers[] = {
    {"Sequence", load_sequence_normalizer},
    {"NFC", load_plain_normalizer<normalize_to<NormalizationForm::kNfc>>},
    {"NFD", load_plain_normalizer<normalize_to<NormalizationForm::kNfd>>},
    {"NFKC", load_plain_normalizer<normalize_to<NormalizationForm::kNfkc>>},
    {"NFKD", load_plain_normalizer<normalize_to<NormalizationForm::kNfkd>>},
    {"Lowercase", load_plain_normalizer<lower_case>},
    {"Strip", load_strip_normalizer},
    {"StripAccents", load_plain_normalizer<strip_accents>},
    {"Replace", load_replace_normalizer},
    {"Prepend", load_prepend_normalizer},
    {"Nmt", load_plain_normalizer<normalize_for_translation>},
    {"Precompiled", load_precompiled_normalizer},
    {"BertNormalizer", load_bert_normalizer},
    {"ByteLevel", load_plain_normalizer<map_to_byte_level>},
};

}  // namespace

Normalizer load_normalizer(const Json& json, const std::string& where) {
  return load_component(kNormalizers, json, where);
}

}  // namespace palimpsest::tokenizer
