#include "palimpsest/tokenizer/internal/normalizers.h"

#include <utf8proc.h>

#include "palimpsest/text/utf8.h"
#include "palimpsest/tokenizer/internal/byte_level.h"
#include "palimpsest/tokenizer/internal/charsmap.h"
#include "palimpsest/tokenizer/internal/normalization.h"
#include "palimpsest/tokenizer/internal/unicode.h"

namespace palimpsest::tokenizer {
namespace {

class NormalizerSequence final : public Normalizer {
 public:
  explicit NormalizerSequence(std::vector<NormalizerPtr> members) : members_(std::move(members)) {}
  void normalize(NormalizedString& text) const override {
    for (const NormalizerPtr& member : members_) member->normalize(text);
  }

 private:
  std::vector<NormalizerPtr> members_;
};

void normalize_to(NormalizedString& text, NormalizationForm form) {
  if (is_surely_normalized(text.text(), form)) return;
  text.transform(normalization_changes(text.text(), form), 0);
}

template <NormalizationForm form>
class UnicodeForm final : public Normalizer {
 public:
  void normalize(NormalizedString& text) const override { normalize_to(text, form); }
};

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

class Lowercase final : public Normalizer {
 public:
  void normalize(NormalizedString& text) const override { lower_case(text); }
};

class StripNormalizer final : public Normalizer {
 public:
  StripNormalizer(bool left, bool right) : left_(left), right_(right) {}

  void normalize(NormalizedString& text) const override {
    const std::string& all = text.text();
    size_t begin = 0;
    size_t end = all.size();
    while (left_ && begin < end) {
      size_t next = begin;
      if (!is_white_space(text::next_code_point(all, next))) break;
      begin = next;
    }
    while (right_ && end > begin) {
      const size_t previous = text::previous_boundary(all, end);
      size_t next = previous;
      if (!is_white_space(text::next_code_point(all, next))) break;
      end = previous;
    }
    if (begin > 0 || end < all.size()) text.cut(begin, end);
  }

 private:
  bool left_;
  bool right_;
};

class StripAccents final : public Normalizer {
 public:
  void normalize(NormalizedString& text) const override {
    text.filter([](char32_t c) { return !is_mark(c); });
  }
};

class ReplaceNormalizer final : public Normalizer {
 public:
  ReplaceNormalizer(Pattern pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}

  void normalize(NormalizedString& text) const override {
    std::vector<ByteSpan> matches;
    pattern_.find_all(text.text(), matches);
    text.replace(matches, content_);
  }

 private:
  Pattern pattern_;
  std::string content_;
};

class Prepend final : public Normalizer {
 public:
  explicit Prepend(std::string prefix) : prefix_(std::move(prefix)) {}
  void normalize(NormalizedString& text) const override { text.prepend(prefix_); }

 private:
  std::string prefix_;
};

// SentencePiece's rules for machine translation: controls vanish, odd spaces become spaces.
class Nmt final : public Normalizer {
 public:
  void normalize(NormalizedString& text) const override {
    text.filter([](char32_t c) {
      return !((c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F ||
               c == 0x8F || c == 0x9F);
    });
    text.map([](char32_t c) {
      const bool space = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                         (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 ||
                         c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
      return space ? U' ' : c;
    });
  }
};

class Precompiled final : public Normalizer {
 public:
  explicit Precompiled(Charsmap map) : map_(std::move(map)) {}

  // The map is asked about grapheme clusters of up to five bytes first, then about characters.
  void normalize(NormalizedString& text) const override {
    const std::string& all = text.text();
    std::vector<Change> changes;
    changes.reserve(all.size());
    bool changed = false;
    for (size_t begin = 0; begin < all.size();) {
      text.require_room(changes.size());
      const size_t end = grapheme_end(all, begin);
      const std::string_view grapheme = std::string_view(all).substr(begin, end - begin);
      const auto whole = grapheme.size() < 6 ? map_.transform(grapheme) : std::nullopt;
      if (whole) {
        replace(grapheme, *whole, changes);
        changed = true;
      }
      for (size_t at = 0; !whole && at < grapheme.size();) {
        const size_t start = at;
        const char32_t c = text::next_code_point(grapheme, at);
        const std::string_view part = grapheme.substr(start, at - start);
        if (const auto replacement = map_.transform(part)) {
          replace(part, *replacement, changes);
          changed = true;
        } else {
          changes.push_back({c, 0});
        }
      }
      begin = end;
    }
    if (changed) text.transform(changes, 0);
  }

 private:
  static size_t grapheme_end(std::string_view text, size_t begin) {
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

  static void replace(std::string_view from, std::string_view to, std::vector<Change>& changes) {
    const auto before = static_cast<int32_t>(text::count_code_points(from));
    int32_t after = 0;
    for (size_t at = 0; at < to.size(); ++after) {
      changes.push_back({text::next_code_point(to, at), after < before ? 0 : 1});
    }
    // Characters that vanish are booked on whatever stands before them.
    if (after < before && !changes.empty()) changes.back().change += after - before;
  }

  Charsmap map_;
};

struct BertOptions {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;
  bool lowercase = true;
};

class BertNormalizer final : public Normalizer {
 public:
  explicit BertNormalizer(const BertOptions& options) : options_(options) {}

  void normalize(NormalizedString& text) const override {
    if (options_.clean_text) {
      text.filter([](char32_t c) { return !is_other(c); });
      text.map([](char32_t c) { return is_white_space(c) ? U' ' : c; });
    }
    if (options_.handle_chinese_chars) surround_chinese(text);
    if (options_.strip_accents) {
      normalize_to(text, NormalizationForm::kNfd);
      text.filter([](char32_t c) { return !is_nonspacing_mark(c); });
    }
    if (options_.lowercase) lower_case(text);
  }

 private:
  static void surround_chinese(NormalizedString& text) {
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

  BertOptions options_;
};

class ByteLevelNormalizer final : public Normalizer {
 public:
  void normalize(NormalizedString& text) const override { map_to_byte_level(text); }
};

template <class T>
NormalizerPtr load_plain_normalizer(ComponentFields&) {
  return std::make_shared<const T>();
}

NormalizerPtr load_sequence_normalizer(ComponentFields& fields) {
  return std::make_shared<const NormalizerSequence>(
      load_sequence<NormalizerPtr>(fields, "normalizers", load_normalizer));
}

NormalizerPtr load_strip_normalizer(ComponentFields& fields) {
  const bool left = fields.require_bool("strip_left");
  return std::make_shared<const StripNormalizer>(left, fields.require_bool("strip_right"));
}

NormalizerPtr load_replace_normalizer(ComponentFields& fields) {
  Pattern pattern = fields.require_pattern("pattern");
  if (pattern.can_match_empty())
    fields.fail("pattern", "can match nothing, which is not supported");
  return std::make_shared<const ReplaceNormalizer>(std::move(pattern),
                                                   fields.require_string("content"));
}

NormalizerPtr load_prepend_normalizer(ComponentFields& fields) {
  return std::make_shared<const Prepend>(fields.require_string("prepend"));
}

NormalizerPtr load_precompiled_normalizer(ComponentFields& fields) {
  try {
    return std::make_shared<const Precompiled>(
        Charsmap::from_base64(fields.require_string("precompiled_charsmap")));
  } catch (const Error& error) {
    throw error.located(fields.where());
  }
}

NormalizerPtr load_bert_normalizer(ComponentFields& fields) {
  BertOptions options;
  options.clean_text = fields.require_bool("clean_text");
  options.handle_chinese_chars = fields.require_bool("handle_chinese_chars");
  options.lowercase = fields.require_bool("lowercase");
  options.strip_accents = fields.bool_or("strip_accents", options.lowercase);
  return std::make_shared<const BertNormalizer>(options);
}

}  // namespace

const std::vector<NormalizerKind>& normalizer_table() {
  static const std::vector<NormalizerKind> table = {
      {"Sequence", load_sequence_normalizer},
      {"NFC", load_plain_normalizer<UnicodeForm<NormalizationForm::kNfc>>},
      {"NFD", load_plain_normalizer<UnicodeForm<NormalizationForm::kNfd>>},
      {"NFKC", load_plain_normalizer<UnicodeForm<NormalizationForm::kNfkc>>},
      {"NFKD", load_plain_normalizer<UnicodeForm<NormalizationForm::kNfkd>>},
      {"Lowercase", load_plain_normalizer<Lowercase>},
      {"Strip", load_strip_normalizer},
      {"StripAccents", load_plain_normalizer<StripAccents>},
      {"Replace", load_replace_normalizer},
      {"Prepend", load_prepend_normalizer},
      {"Nmt", load_plain_normalizer<Nmt>},
      {"Precompiled", load_precompiled_normalizer},
      {"BertNormalizer", load_bert_normalizer},
      {"ByteLevel", load_plain_normalizer<ByteLevelNormalizer>},
  };
  return table;
}

NormalizerPtr load_normalizer(const Json& json, const std::string& where) {
  ComponentFields fields(json, where);
  NormalizerPtr normalizer = component_kind(normalizer_table(), fields).load(fields);
  fields.finish();
  return normalizer;
}

}  // namespace palimpsest::tokenizer
