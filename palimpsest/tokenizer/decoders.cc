#include "palimpsest/tokenizer/internal/decoders.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <utility>

#include "palimpsest/text/utf8.h"
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

class DecoderSequence final : public Decoder {
 public:
  explicit DecoderSequence(std::vector<DecoderPtr> members) : members_(std::move(members)) {}
  void decode(std::vector<std::string>& tokens) const override {
    // A member at most doubles a text or is bounded itself; many that double it are bounded here.
    const size_t most = std::max(bytes_in(tokens), kMaxGrown);
    for (const DecoderPtr& member : members_) {
      member->decode(tokens);
      if (bytes_in(tokens) > most) fail_growth(most);
    }
  }

 private:
  std::vector<DecoderPtr> members_;
};

class ByteLevelDecoder final : public Decoder {
 public:
  void decode(std::vector<std::string>& tokens) const override {
    std::string bytes;
    for (const std::string& token : tokens) bytes += bytes_of_byte_level(token).value_or(token);
    tokens.assign(1, text::lossy_utf8(bytes));
  }
};

class ByteFallbackDecoder final : public Decoder {
 public:
  void decode(std::vector<std::string>& tokens) const override {
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
      if (const auto byte = byte_of(token)) {
        bytes += *byte;
      } else {
        flush();
        result.push_back(std::move(token));
      }
    }
    flush();
    tokens = std::move(result);
  }

 private:
  // The byte of "<0x0A>". The package also reads "<0x+A>".
  static std::optional<char> byte_of(std::string_view token) {
    if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) {
      return std::nullopt;
    }
    std::string_view digits = token.substr(3, 2);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    unsigned value = 0;
    const auto [end, code] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (code != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return static_cast<char>(value);
  }
};

class MetaspaceDecoder final : public Decoder {
 public:
  explicit MetaspaceDecoder(const MetaspaceOptions& options)
      : mark_(text::to_utf8(options.replacement)),
        prepends_(options.prepend != PrependScheme::kNever) {}

  void decode(std::vector<std::string>& tokens) const override {
    for (size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = text::replace_all(tokens[i], mark_, i == 0 && prepends_ ? "" : " ");
    }
  }

 private:
  std::string mark_;
  bool prepends_;
};

class FuseDecoder final : public Decoder {
 public:
  void decode(std::vector<std::string>& tokens) const override {
    std::string all;
    for (const std::string& token : tokens) all += token;
    tokens.assign(1, all);
  }
};

class ReplaceDecoder final : public Decoder {
 public:
  ReplaceDecoder(Pattern pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}

  void decode(std::vector<std::string>& tokens) const override {
    std::vector<ByteSpan> matches;
    size_t before = 0;
    for (const std::string& token : tokens) before += token.size();
    const size_t most = std::max(before, kMaxGrown);
    size_t size = before;
    for (std::string& token : tokens) {
      if (token.empty()) continue;
      pattern_.find_all(token, matches);
      for (const ByteSpan& match : matches) {
        size += content_.size() - (match.end - match.begin);
        if (size > most) fail_growth(most);
      }
      std::string replaced;
      size_t done = 0;
      for (const ByteSpan& match : matches) {
        replaced.append(token, done, match.begin - done).append(content_);
        done = match.end;
      }
      token = replaced.append(token, done);
    }
  }

 private:
  Pattern pattern_;
  std::string content_;
};

class StripDecoder final : public Decoder {
 public:
  StripDecoder(char32_t content, int64_t start, int64_t stop)
      : content_(text::to_utf8(content)), start_(start), stop_(stop) {}

  void decode(std::vector<std::string>& tokens) const override {
    for (std::string& token : tokens) {
      std::string_view rest = token;
      int64_t cut = 0;
      for (; cut < start_ && rest.starts_with(content_); ++cut) rest.remove_prefix(content_.size());
      for (cut = 0; cut < stop_ && rest.ends_with(content_); ++cut) {
        rest.remove_suffix(content_.size());
      }
      token = std::string(rest);
    }
  }

 private:
  std::string content_;
  int64_t start_;
  int64_t stop_;
};

class WordPieceDecoder final : public Decoder {
 public:
  WordPieceDecoder(std::string prefix, bool cleanup)
      : prefix_(std::move(prefix)), cleanup_(cleanup) {}

  void decode(std::vector<std::string>& tokens) const override {
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (i > 0) {
        if (tokens[i].starts_with(prefix_)) {
          tokens[i].erase(0, prefix_.size());
        } else {
          tokens[i].insert(0, " ");
        }
      }
      if (cleanup_) tokens[i] = clean_up(tokens[i], true);
    }
  }

 private:
  std::string prefix_;
  bool cleanup_;
};

class BpeDecoder final : public Decoder {
 public:
  explicit BpeDecoder(std::string suffix) : suffix_(std::move(suffix)) {}

  void decode(std::vector<std::string>& tokens) const override {
    for (size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = text::replace_all(tokens[i], suffix_, i + 1 == tokens.size() ? "" : " ");
    }
  }

 private:
  std::string suffix_;
};

class CtcDecoder final : public Decoder {
 public:
  CtcDecoder(std::string pad, std::string delimiter, bool cleanup)
      : pad_(std::move(pad)), delimiter_(std::move(delimiter)), cleanup_(cleanup) {}

  void decode(std::vector<std::string>& tokens) const override {
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    std::vector<std::string> result;
    for (const std::string& token : tokens) {
      std::string text = text::replace_all(token, pad_, "");
      if (cleanup_) text = text::replace_all(clean_up(text, true), delimiter_, " ");
      if (!text.empty()) result.push_back(std::move(text));
    }
    tokens = std::move(result);
  }

 private:
  std::string pad_;
  std::string delimiter_;
  bool cleanup_;
};

DecoderPtr load_sequence_decoder(ComponentFields& fields) {
  return std::make_shared<const DecoderSequence>(
      load_sequence<DecoderPtr>(fields, "decoders", load_decoder));
}

DecoderPtr load_byte_level_decoder(ComponentFields& fields) {
  for (const char* unused : {"add_prefix_space", "trim_offsets"}) fields.require_bool(unused);
  fields.bool_or("use_regex", true);
  return std::make_shared<const ByteLevelDecoder>();
}

DecoderPtr load_metaspace_decoder(ComponentFields& fields) {
  return std::make_shared<const MetaspaceDecoder>(load_metaspace(fields));
}

DecoderPtr load_replace_decoder(ComponentFields& fields) {
  Pattern pattern = fields.require_pattern("pattern");
  return std::make_shared<const ReplaceDecoder>(std::move(pattern),
                                                fields.require_string("content"));
}

DecoderPtr load_strip_decoder(ComponentFields& fields) {
  const char32_t content = fields.require_character("content");
  const int64_t start = fields.require_count("start");
  return std::make_shared<const StripDecoder>(content, start, fields.require_count("stop"));
}

DecoderPtr load_wordpiece_decoder(ComponentFields& fields) {
  std::string prefix = fields.require_string("prefix");
  return std::make_shared<const WordPieceDecoder>(std::move(prefix),
                                                  fields.require_bool("cleanup"));
}

DecoderPtr load_bpe_decoder(ComponentFields& fields) {
  return std::make_shared<const BpeDecoder>(fields.require_string("suffix"));
}

DecoderPtr load_ctc_decoder(ComponentFields& fields) {
  std::string pad = fields.require_string("pad_token");
  std::string delimiter = fields.require_string("word_delimiter_token");
  return std::make_shared<const CtcDecoder>(std::move(pad), std::move(delimiter),
                                            fields.require_bool("cleanup"));
}

template <class T>
DecoderPtr load_plain_decoder(ComponentFields&) {
  return std::make_shared<const T>();
}

}  // namespace

std::string clean_up_tokenization(std::string_view text) {
  return clean_up(text, false);
}

const std::vector<DecoderKind>& decoder_table() {
  static const std::vector<DecoderKind> table = {
      {"Sequence", load_sequence_decoder},
      {"ByteLevel", load_byte_level_decoder},
      {"ByteFallback", load_plain_decoder<ByteFallbackDecoder>},
      {"Metaspace", load_metaspace_decoder},
      {"Fuse", load_plain_decoder<FuseDecoder>},
      {"Replace", load_replace_decoder},
      {"Strip", load_strip_decoder},
      {"WordPiece", load_wordpiece_decoder},
      {"BPEDecoder", load_bpe_decoder},
      {"CTC", load_ctc_decoder},
  };
  return table;
}

DecoderPtr load_decoder(const Json& json, const std::string& where) {
  ComponentFields fields(json, where);
  DecoderPtr decoder = component_kind(decoder_table(), fields).load(fields);
  fields.finish();
  return decoder;
}

}  // namespace palimpsest::tokenizer
