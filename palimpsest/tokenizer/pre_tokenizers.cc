#include "palimpsest/tokenizer/internal/pre_tokenizers.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "palimpsest/text/internal/utf8.h"
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
  return [pattern](std::string_view text, std::vector<ByteSpan>& matches) {
    pattern.find_all(text, matches);
  };
}

// Runs of word characters and runs of other characters.
void each_word(std::string_view text, std::vector<ByteSpan>& matches) {
  const auto kind = [](char32_t c) { return is_word_character(c) ? 1 : is_white_space(c) ? 0 : 2; };
  int last = 0;
  for (size_t position = 0; position < text.size();) {
    const auto begin = static_cast<uint32_t>(position);
    const int now = kind(text::next_code_point(text, position));
    const auto end = static_cast<uint32_t>(position);
    if (now != 0 && now == last) {
      matches.back().end = end;
    } else if (now != 0) {
      matches.push_back({begin, end});
    }
    last = now;
  }
}

// Cuts where the script changes; characters of no script stay with those before them, and are
// lost where there are none (so does the package).
void cut_at_scripts(std::string_view piece, std::vector<PreTokenizedString::Part>& parts) {
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
}

void apply_metaspace(const MetaspaceOptions& options, PreTokenizedString& text) {
  const std::string replacement = text::to_utf8(options.replacement);
  const Pattern space = Pattern::literal(" ");
  // Asked before the rewriting: it changes what the pieces know of their beginning.
  const auto prefixed = [&](const Piece& piece) {
    return options.prepend == PrependScheme::kAlways ||
           (options.prepend == PrependScheme::kFirst && text.starts_original(piece));
  };
  std::vector<bool> prefix;
  for (const Piece& piece : text.pieces()) {
    if (piece.token < 0) prefix.push_back(prefixed(piece));
  }
  size_t next = 0;
  std::vector<ByteSpan> spaces;
  text.rewrite([](const Piece&) { return true; },
               [&](NormalizedString& piece) {
                 space.find_all(piece.text(), spaces);
                 piece.replace(spaces, replacement);
                 if (prefix[next++] && !piece.text().starts_with(replacement)) {
                   piece.prepend(replacement);
                 }
               });
  if (options.split) {
    text.split(each_match(Pattern::literal(replacement)), SplitBehavior::kMergedWithNext, false);
  }
}

// Splits at what `find(text, matches)` finds.
template <class Find>
PreTokenizer splitting_at(Find find, SplitBehavior behavior, bool invert = false) {
  return {.run = [=](PreTokenizedString& text) { text.split(find, behavior, invert); }};
}

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

PreTokenizer load_sequence_pre_tokenizer(ComponentFields& fields) {
  const auto members = std::make_shared<const std::vector<PreTokenizer>>(
      load_sequence<PreTokenizer>(fields, "pretokenizers", load_pre_tokenizer));
  PreTokenizer sequence = {.run = [members](PreTokenizedString& text) {
    for (const PreTokenizer& member : *members) member.run(text);
  }};
  sequence.wants_positions = std::ranges::any_of(*members, &PreTokenizer::wants_positions);
  if (!members->empty() && members->back().without_byte_mapping) {
    sequence.without_byte_mapping = [members](PreTokenizedString& text) {
      for (size_t i = 0; i + 1 < members->size(); ++i) (*members)[i].run(text);
      members->back().without_byte_mapping(text);
    };
  }
  return sequence;
}

PreTokenizer load_byte_level_pre_tokenizer(ComponentFields& fields) {
  const bool add_prefix_space = fields.require_bool("add_prefix_space");
  fields.require_bool("trim_offsets");  // of use to the post-processor of the same name only
  const bool use_regex = fields.bool_or("use_regex", true);
  // GPT-2's pattern.
  static const Pattern words = Pattern::regex(
      R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", "ByteLevel");
  const auto find_words = [](std::string_view text, std::vector<ByteSpan>& matches) {
    words.find_all(text, matches);
  };
  const auto split = [=](PreTokenizedString& text) {
    if (add_prefix_space) {
      text.rewrite([&](const Piece& piece) { return !text.text(piece).starts_with(' '); },
                   [](NormalizedString& piece) { piece.prepend(" "); });
    }
    if (use_regex) text.split(find_words, SplitBehavior::kIsolated, false);
  };
  const auto split_and_map = [split](PreTokenizedString& text) {
    split(text);
    text.rewrite([](const Piece&) { return true; }, map_to_byte_level);
  };
  return {.run = split_and_map, .without_byte_mapping = split};
}

PreTokenizer load_split_pre_tokenizer(ComponentFields& fields) {
  const Pattern pattern = fields.require_pattern("pattern");
  const SplitBehavior behavior = parse_behavior(fields, "");
  return splitting_at(each_match(pattern), behavior, fields.require_bool("invert"));
}

PreTokenizer load_metaspace_pre_tokenizer(ComponentFields& fields) {
  const MetaspaceOptions options = load_metaspace(fields);
  return {.run = [options](PreTokenizedString& text) { apply_metaspace(options, text); },
          .wants_positions = options.prepend == PrependScheme::kFirst};
}

PreTokenizer load_digits(ComponentFields& fields) {
  const bool each = fields.require_bool("individual_digits");
  return splitting_at(each_character(is_numeric),
                      each ? SplitBehavior::kIsolated : SplitBehavior::kContiguous);
}

PreTokenizer load_punctuation(ComponentFields& fields) {
  return splitting_at(each_character(is_punctuation), parse_behavior(fields, "Isolated"));
}

// White space goes.
PreTokenizer load_whitespace(ComponentFields&) {
  return splitting_at(each_word, SplitBehavior::kRemoved, true);
}

PreTokenizer load_whitespace_split(ComponentFields&) {
  return splitting_at(each_character(is_white_space), SplitBehavior::kRemoved);
}

PreTokenizer load_delimiter(ComponentFields& fields) {
  const char32_t delimiter = fields.require_character("delimiter");
  return splitting_at(each_character([=](char32_t c) { return c == delimiter; }),
                      SplitBehavior::kRemoved);
}

PreTokenizer load_unicode_scripts(ComponentFields&) {
  return {.run = [](PreTokenizedString& text) { text.cut_pieces(cut_at_scripts); }};
}

PreTokenizer load_bert_pre_tokenizer(ComponentFields&) {
  return {.run = [](PreTokenizedString& text) {
    text.split(each_character(is_white_space), SplitBehavior::kRemoved, false);
    text.split(each_character(is_punctuation), SplitBehavior::kIsolated, false);
  }};
}

constexpr ComponentKind<PreTokenizer> kPreTokenizers[] = {
    {"Sequence", load_sequence_pre_tokenizer},
    {"ByteLevel", load_byte_level_pre_tokenizer},
    {"Split", load_split_pre_tokenizer},
    {"Metaspace", load_metaspace_pre_tokenizer},
    {"Digits", load_digits},
    {"Punctuation", load_punctuation},
    {"Whitespace", load_whitespace},
    {"WhitespaceSplit", load_whitespace_split},
    {"CharDelimiterSplit", load_delimiter},
    {"UnicodeScripts", load_unicode_scripts},
    {"BertPreTokenizer", load_bert_pre_tokenizer},
};

}  // namespace

PreTokenizer load_pre_tokenizer(const Json& json, const std::string& where) {
  return load_component(kPreTokenizers, json, where);
}

}  // namespace palimpsest::tokenizer
