#include "palimpsest/tokenizer/internal/decoders.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "palimpsest/text/internal/utf8.h"
#include "palimpsest/tokenizer/internal/byte_level.h"
#include "palimpsest/tokenizer/internal/metaspace.h"

namespace palimpsest::tokenizer {
namespace {

// Takes spaces away before punctuation and contractions. The decoders WordPiece and CTC have one
// rule more.
std::string clean_up(std::string_view text, bool contract_do_not) {
  using CleanUpRule = std::pair<std::string_view, std::string_view>;
  static constexpr CleanUpRule kDoNot = {" do not", " don't"};
  static constexpr std::array<CleanUpRule, 11> kRules = {{{" .", "."},
                                                          {" ?", "?"},
                                                          {" !", "!"},
                                                          {" ,", ","},
                                                          {" ' ", "'"},
                                                          {" n't", "n't"},
                                                          {" 'm", "'m"},
                                                          kDoNot,
                                                          {" 's", "'s"},
                                                          {" 've", "'ve"},
                                                          {" 're", "'re"}}};
  std::string result(text);
  for (const CleanUpRule& rule : kRules) {
    if (rule == kDoNot && !contract_do_not) continue;
    if (result.find(rule.first) != std::string::npos)
      result = text::replace_all(result, rule.first, rule.second);
  }
  return result;
}

// A decoder may make a text longer up to this size, and no longer than it is beyond it: decoders of
// a hostile file that follow each other would multiply it.
constexpr size_t kMaxGrown = size_t{16} << 20;

[[noreturn]] void fail_growth(size_t most) {
  throw Error({.what = fmt::format("the text grows beyond {} bytes while it is decoded", most),
               .hint = "the tokenizer's decoders multiply it: use the tokenizer.json of the "
                       "model's publisher"});
}

size_t bytes_in(const std::vector<std::string>& tokens) {
  size_t bytes = 0;
  for (const std::string& token : tokens) bytes += token.size();
  return bytes;
}

// The byte of "<0x0A>". The package also reads "<0x+A>".
std::optional<char> fallback_byte(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) {
    return std::nullopt;
  }
  std::string_view digits = token.substr(3, 2);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  unsigned value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (code != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return static_cast<char>(value);
}

void decode_fallback_bytes(std::vector<std::string>& tokens) {
  std::vector<std::string> result;
  std::string bytes;
  const auto flush = [&] {
    if (bytes.empty()) return;
    if (text::find_invalid_utf8(bytes)) {
      result.insert(result.end(), bytes.size(), "\uFFFD");
    } else {
      result.push_back(bytes);
    }
    bytes.clear();
  };
  for (std::string& token : tokens) {
    if (const auto byte = fallback_byte(token)) {
      bytes += *byte;
    } else {
      flush();
      result.push_back(std::move(token));
    }
  }
  flush();
  tokens = std::move(result);
}

Decoder load_sequence_decoder(ComponentFields& fields) {
  return [members = load_sequence<Decoder>(fields, "decoders", load_decoder)](
             std::vector<std::string>& tokens) {
    // A member at most doubles a text or is bounded itself; many that double it are bounded here.
    const size_t most = std::max(bytes_in(tokens), kMaxGrown);
    for (const Decoder& member : members) {
      member(tokens);
      if (bytes_in(tokens) > most) fail_growth(most);
    }
  };
}

Decoder load_byte_level_decoder(ComponentFields& fields) {
  for (const char* unused : {"add_prefix_space", "trim_offsets"}) fields.require_bool(unused);
  fields.bool_or("use_regex", true);
  return [](std::vector<std::string>& tokens) {
    std::string bytes;
    for (const std::string& token : tokens) bytes += bytes_of_byte_level(token).value_or(token);
    tokens.assign(1, text::lossy_utf8(bytes));
  };
}

Decoder load_byte_fallback_decoder(ComponentFields&) {
  return decode_fallback_bytes;
}

Decoder load_metaspace_decoder(ComponentFields& fields) {
  const MetaspaceOptions options = load_metaspace(fields);
  return [mark = text::to_utf8(options.replacement),
          prepends = options.prepend != PrependScheme::kNever](std::vector<std::string>& tokens) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = text::replace_all(tokens[i], mark, i == 0 && prepends ? "" : " ");
    }
  };
}

Decoder load_fuse_decoder(ComponentFields&) {
  return [](std::vector<std::string>& tokens) {
    std::string all;
    for (const std::string& token : tokens) all += token;
    tokens.assign(1, all);
  };
}

Decoder load_replace_decoder(ComponentFields& fields) {
  Pattern pattern = fields.require_pattern("pattern");
  return [pattern = std::move(pattern),
          content = fields.require_string("content")](std::vector<std::string>& tokens) {
    std::vector<ByteSpan> matches;
    size_t size = bytes_in(tokens);
    const size_t most = std::max(size, kMaxGrown);
    for (std::string& token : tokens) {
      if (token.empty()) continue;
      pattern.find_all(token, matches);
      for (const ByteSpan& match : matches) {
        size += content.size() - (match.end - match.begin);
        if (size > most) fail_growth(most);
      }
      std::string replaced;
      size_t done = 0;
      for (const ByteSpan& match : matches) {
        replaced.append(token, done, match.begin - done).append(content);
        done = match.end;
      }
      token = replaced.append(token, done);
    }
  };
}

Decoder load_strip_decoder(ComponentFields& fields) {
  const std::string content = text::to_utf8(fields.require_character("content"));
  const int64_t start = fields.require_count("start");
  const int64_t stop = fields.require_count("stop");
  return [content, start, stop](std::vector<std::string>& tokens) {
    for (std::string& token : tokens) {
      std::string_view rest = token;
      int64_t cut = 0;
      for (; cut < start && rest.starts_with(content); ++cut) rest.remove_prefix(content.size());
      for (cut = 0; cut < stop && rest.ends_with(content); ++cut) {
        rest.remove_suffix(content.size());
      }
      token = std::string(rest);
    }
  };
}

Decoder load_wordpiece_decoder(ComponentFields& fields) {
  const std::string prefix = fields.require_string("prefix");
  const bool cleanup = fields.require_bool("cleanup");
  return [prefix, cleanup](std::vector<std::string>& tokens) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (i > 0) {
        if (tokens[i].starts_with(prefix)) {
          tokens[i].erase(0, prefix.size());
        } else {
          tokens[i].insert(0, " ");
        }
      }
      if (cleanup) tokens[i] = clean_up(tokens[i], true);
    }
  };
}

Decoder load_bpe_decoder(ComponentFields& fields) {
  return [suffix = fields.require_string("suffix")](std::vector<std::string>& tokens) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = text::replace_all(tokens[i], suffix, i + 1 == tokens.size() ? "" : " ");
    }
  };
}

Decoder load_ctc_decoder(ComponentFields& fields) {
  const std::string pad = fields.require_string("pad_token");
  const std::string delimiter = fields.require_string("word_delimiter_token");
  const bool cleanup = fields.require_bool("cleanup");
  return [pad, delimiter, cleanup](std::vector<std::string>& tokens) {
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    for (std::string& token : tokens) {
      token = text::replace_all(token, pad, "");
      if (cleanup) token = text::replace_all(clean_up(token, true), delimiter, " ");
    }
    std::erase(tokens, "");
  };
}

constexpr ComponentKind<Decoder> kDecoders[] = {
    {"Sequence", load_sequence_decoder},
    {"ByteLevel", load_byte_level_decoder},
    {"ByteFallback", load_byte_fallback_decoder},
    {"Metaspace", load_metaspace_decoder},
    {"Fuse", load_fuse_decoder},
    {"Replace", load_replace_decoder},
    {"Strip", load_strip_decoder},
    {"WordPiece", load_wordpiece_decoder},
    {"BPEDecoder", load_bpe_decoder},
    {"CTC", load_ctc_decoder},
};

}  // namespace

std::string clean_up_tokenization(std::string_view text) {
  return clean_up(text, false);
}

Decoder load_decoder(const Json& json, const std::string& where) {
  return load_component(kDecoders, json, where);
}

}  // namespace palimpsest::tokenizer
