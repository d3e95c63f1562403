#include "palimpsest/tokenizer/internal/pre_tokenizers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "palimpsest/text/utf8.h"
#include "palimpsest/tokenizer/internal/byte_level.h"
#include "palimpsest/tokenizer/internal/metaspace.h"
#include "palimpsest/tokenizer/internal/unicode.h"

namespace palimpsest::tokenizer {
namespace {

// Finds every character for which `holds` is true.
template <class Predicate>
auto each_character(Predicate holds) {
  return [holds](std::string_view text, std::vector<ByteSpan>& matches) {
    for (size_t position = 0; position < text.size();) {
      const auto begin = static_cast<uint32_t>(position);
      if (holds(text::next_code_point(text, position))) {
        matches.push_back({begin, static_cast<uint32_t>(position)});
      }
    }
  };
}

auto each_match(const Pattern& pattern) {
  return [&pattern](std::string_view text, std::vector<ByteSpan>& matches) {
    pattern.find_all(text, matches);
  };
}

class PreTokenizerSequence final : public PreTokenizer {
 public:
  explicit PreTokenizerSequence(std::vector<PreTokenizerPtr> members)
      : members_(std::move(members)) {}

  void pre_tokenize(PreTokenizedString& text) const override {
    for (const PreTokenizerPtr& member : members_) member->pre_tokenize(text);
  }
  bool wants_positions() const override {
    return std::any_of(members_.begin(), members_.end(),
                       [](const PreTokenizerPtr& member) { return member->wants_positions(); });
  }
  PreTokenizerPtr without_byte_mapping() const override {
    if (members_.empty()) return nullptr;
    PreTokenizerPtr last = members_.back()->without_byte_mapping();
    if (last == nullptr) return nullptr;
    std::vector<PreTokenizerPtr> members = members_;
    members.back() = std::move(last);
    return std::make_shared<const PreTokenizerSequence>(std::move(members));
  }

 private:
  std::vector<PreTokenizerPtr> members_;
};

class ByteLevelPreTokenizer final : public PreTokenizer {
 public:
  ByteLevelPreTokenizer(bool add_prefix_space, bool use_regex, bool map_bytes)
      : add_prefix_space_(add_prefix_space), use_regex_(use_regex), map_bytes_(map_bytes) {}

  void pre_tokenize(PreTokenizedString& text) const override {
    if (add_prefix_space_) {
      text.rewrite([&](const Piece& piece) { return !text.text(piece).starts_with(' '); },
                   [](NormalizedString& piece) { piece.prepend(" "); });
    }
    if (use_regex_) text.split(each_match(words()), SplitBehavior::kIsolated, false);
    if (map_bytes_) text.rewrite([](const Piece&) { return true; }, map_to_byte_level);
  }
  PreTokenizerPtr without_byte_mapping() const override {
    return std::make_shared<const ByteLevelPreTokenizer>(add_prefix_space_, use_regex_, false);
  }

 private:
  // GPT-2's pattern.
  static const Pattern& words() {
    static const Pattern pattern = Pattern::regex(
        R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
        "ByteLevel");
    return pattern;
  }

  bool add_prefix_space_;
  bool use_regex_;
  bool map_bytes_;
};

class Split final : public PreTokenizer {
 public:
  Split(Pattern pattern, SplitBehavior behavior, bool invert)
      : pattern_(std::move(pattern)), behavior_(behavior), invert_(invert) {}

  void pre_tokenize(PreTokenizedString& text) const override {
    text.split(each_match(pattern_), behavior_, invert_);
  }

 private:
  Pattern pattern_;
  SplitBehavior behavior_;
  bool invert_;
};

class MetaspacePreTokenizer final : public PreTokenizer {
 public:
  explicit MetaspacePreTokenizer(const MetaspaceOptions& options)
      : options_(options),
        replacement_(text::to_utf8(options.replacement)),
        space_(Pattern::literal(" ")),
        mark_(Pattern::literal(replacement_)) {}

  void pre_tokenize(PreTokenizedString& text) const override {
    // Asked before the rewriting: it changes what the pieces know of their beginning.
    const auto prefixed = [&](const Piece& piece) {
      return options_.prepend == PrependScheme::kAlways ||
             (options_.prepend == PrependScheme::kFirst && text.starts_original(piece));
    };
    std::vector<bool> prefix;
    for (const Piece& piece : text.pieces()) {
      if (piece.token < 0) prefix.push_back(prefixed(piece));
    }
    size_t next = 0;
    std::vector<ByteSpan> spaces;
    text.rewrite([](const Piece&) { return true; },
                 [&](NormalizedString& piece) {
                   space_.find_all(piece.text(), spaces);
                   piece.replace(spaces, replacement_);
                   if (prefix[next++] && !piece.text().starts_with(replacement_)) {
                     piece.prepend(replacement_);
                   }
                 });
    if (options_.split) {
      text.split(each_match(mark_), SplitBehavior::kMergedWithNext, false);
    }
  }
  bool wants_positions() const override { return options_.prepend == PrependScheme::kFirst; }

 private:
  MetaspaceOptions options_;
  std::string replacement_;
  Pattern space_;
  Pattern mark_;
};

// Splits at single characters of a kind.
template <bool (*holds)(char32_t)>
class CharacterSplit final : public PreTokenizer {
 public:
  explicit CharacterSplit(SplitBehavior behavior) : behavior_(behavior) {}
  void pre_tokenize(PreTokenizedString& text) const override {
    text.split(each_character(holds), behavior_, false);
  }

 private:
  SplitBehavior behavior_;
};

class CharDelimiterSplit final : public PreTokenizer {
 public:
  explicit CharDelimiterSplit(char32_t delimiter) : delimiter_(delimiter) {}
  void pre_tokenize(PreTokenizedString& text) const override {
    text.split(each_character([this](char32_t c) { return c == delimiter_; }),
               SplitBehavior::kRemoved, false);
  }

 private:
  char32_t delimiter_;
};

// Runs of word characters and runs of other characters; white space goes.
class Whitespace final : public PreTokenizer {
 public:
  void pre_tokenize(PreTokenizedString& text) const override {
    const auto kind = [](char32_t c) {
      return is_word_character(c) ? 1 : is_white_space(c) ? 0 : 2;
    };
    text.split(
        [&](std::string_view piece, std::vector<ByteSpan>& matches) {
          int last = 0;
          for (size_t position = 0; position < piece.size();) {
            const auto begin = static_cast<uint32_t>(position);
            const int now = kind(text::next_code_point(piece, position));
            const auto end = static_cast<uint32_t>(position);
            if (now != 0 && now == last) {
              matches.back().end = end;
            } else if (now != 0) {
              matches.push_back({begin, end});
            }
            last = now;
          }
        },
        SplitBehavior::kRemoved, true);
  }
};

class BertPreTokenizer final : public PreTokenizer {
 public:
  void pre_tokenize(PreTokenizedString& text) const override {
    text.split(each_character(is_white_space), SplitBehavior::kRemoved, false);
    text.split(each_character(is_punctuation), SplitBehavior::kIsolated, false);
  }
};

class UnicodeScripts final : public PreTokenizer {
 public:
  // Cuts where the script changes; characters of no script stay with those before them, and are
  // lost where there are none (so does the package).
  void pre_tokenize(PreTokenizedString& text) const override {
    text.cut_pieces([](std::string_view piece, std::vector<PreTokenizedString::Part>& parts) {
      int last = 0;
      for (size_t position = 0; position < piece.size();) {
        const auto begin = static_cast<uint32_t>(position);
        const int script = script_of(text::next_code_point(piece, position));
        if (script != 0 && script != last) {
          if (!parts.empty()) parts.back().range.end = begin;
          parts.push_back({{begin, begin}});
          last = script;
        }
      }
      if (!parts.empty()) parts.back().range.end = static_cast<uint32_t>(piece.size());
    });
  }
};

SplitBehavior parse_behavior(ComponentFields& fields, std::string_view fallback) {
  static constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> kBehaviors = {{
      {"Removed", SplitBehavior::kRemoved},
      {"Isolated", SplitBehavior::kIsolated},
      {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
      {"MergedWithNext", SplitBehavior::kMergedWithNext},
      {"Contiguous", SplitBehavior::kContiguous},
  }};
  const std::string name = fields.find_string("behavior").value_or(std::string(fallback));
  for (const auto& [known, behavior] : kBehaviors) {
    if (name == known) return behavior;
  }
  fields.fail("behavior", fmt::format("'{}' is not supported", name));
}

PreTokenizerPtr load_sequence_pre_tokenizer(ComponentFields& fields) {
  return std::make_shared<const PreTokenizerSequence>(
      load_sequence<PreTokenizerPtr>(fields, "pretokenizers", load_pre_tokenizer));
}

PreTokenizerPtr load_byte_level_pre_tokenizer(ComponentFields& fields) {
  const bool add_prefix_space = fields.require_bool("add_prefix_space");
  fields.require_bool("trim_offsets");  // of use to the post-processor of the same name only
  return std::make_shared<const ByteLevelPreTokenizer>(add_prefix_space,
                                                       fields.bool_or("use_regex", true), true);
}

PreTokenizerPtr load_split_pre_tokenizer(ComponentFields& fields) {
  Pattern pattern = fields.require_pattern("pattern");
  const SplitBehavior behavior = parse_behavior(fields, "");
  return std::make_shared<const Split>(std::move(pattern), behavior, fields.require_bool("invert"));
}

PreTokenizerPtr load_metaspace_pre_tokenizer(ComponentFields& fields) {
  return std::make_shared<const MetaspacePreTokenizer>(load_metaspace(fields));
}

PreTokenizerPtr load_digits(ComponentFields& fields) {
  const bool each = fields.require_bool("individual_digits");
  return std::make_shared<const CharacterSplit<is_numeric>>(each ? SplitBehavior::kIsolated
                                                                 : SplitBehavior::kContiguous);
}

PreTokenizerPtr load_punctuation(ComponentFields& fields) {
  return std::make_shared<const CharacterSplit<is_punctuation>>(parse_behavior(fields, "Isolated"));
}

PreTokenizerPtr load_whitespace_split(ComponentFields&) {
  return std::make_shared<const CharacterSplit<is_white_space>>(SplitBehavior::kRemoved);
}

PreTokenizerPtr load_delimiter(ComponentFields& fields) {
  return std::make_shared<const CharDelimiterSplit>(fields.require_character("delimiter"));
}

template <class T>
PreTokenizerPtr load_plain_pre_tokenizer(ComponentFields&) {
  return std::make_shared<const T>();
}

}  // namespace

const std::vector<PreTokenizerKind>& pre_tokenizer_table() {
  static const std::vector<PreTokenizerKind> table = {
      {"Sequence", load_sequence_pre_tokenizer},
      {"ByteLevel", load_byte_level_pre_tokenizer},
      {"Split", load_split_pre_tokenizer},
      {"Metaspace", load_metaspace_pre_tokenizer},
      {"Digits", load_digits},
      {"Punctuation", load_punctuation},
      {"Whitespace", load_plain_pre_tokenizer<Whitespace>},
      {"WhitespaceSplit", load_whitespace_split},
      {"CharDelimiterSplit", load_delimiter},
      {"UnicodeScripts", load_plain_pre_tokenizer<UnicodeScripts>},
      {"BertPreTokenizer", load_plain_pre_tokenizer<BertPreTokenizer>},
  };
  return table;
}

PreTokenizerPtr load_pre_tokenizer(const Json& json, const std::string& where) {
  ComponentFields fields(json, where);
  PreTokenizerPtr pre_tokenizer = component_kind(pre_tokenizer_table(), fields).load(fields);
  fields.finish();
  return pre_tokenizer;
}

}  // namespace palimpsest::tokenizer
