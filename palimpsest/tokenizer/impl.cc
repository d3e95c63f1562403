#include "palimpsest/tokenizer/internal/impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/text/internal/utf8.h"
#include "palimpsest/tokenizer/internal/file.h"

namespace palimpsest::tokenizer {
namespace {

constexpr size_t kLongestText = std::numeric_limits<int32_t>::max();

Json parse_optional(const std::optional<std::string>& text, const std::string& where) {
  return text ? parse_json(*text, where) : Json();
}

// The component under `key`, or an empty one if the file has none.
template <class Component>
Component load_optional(const Json& json, const char* key, const std::string& where,
                        Component (*load)(const Json&, const std::string&)) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? Component() : load(*found, where + ": " + key);
}

// As the package reports offsets in characters: a byte inside of a character counts as that
// character, the end of the text as one behind the last.
TextOffset to_characters(TextOffset bytes, const std::vector<uint32_t>& character_of_byte) {
  const auto size = static_cast<int64_t>(character_of_byte.size());
  if (bytes.begin < 0 || bytes.begin >= size) return bytes;
  const auto at = [&](int64_t byte) -> int64_t {
    return character_of_byte[static_cast<size_t>(byte)];
  };
  const int64_t begin = at(bytes.begin);
  if (bytes.end < size) return {begin, at(bytes.end)};
  return {begin, (bytes.end - 1 < size ? at(bytes.end - 1) : begin + 1) + 1};
}

void index_characters(std::string_view text, std::vector<uint32_t>& character_of_byte) {
  character_of_byte.clear();
  uint32_t character = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && !text::is_utf8_continuation(text[i])) ++character;
    character_of_byte.push_back(character);
  }
}

// Where bytes [begin, end) of a piece come from.
TextOffset original_offset(const PreTokenizedString& text, const Piece& piece, uint32_t begin,
                           uint32_t end) {
  const std::vector<ByteSpan>& spans = text.buffer(piece).spans();
  if (begin == end) {
    const int64_t start = spans[piece.begin].begin;
    return {start + begin, start + end};
  }
  if (piece.begin + end > piece.end) return {begin, end};
  return {spans[piece.begin + begin].begin, spans[piece.begin + end - 1].end};
}

}  // namespace

class Tokenizer::Impl::StateLease {
 public:
  explicit StateLease(const Impl& impl) : impl_(impl) {
    const std::lock_guard lock(impl.mutex_);
    if (!impl.free_states_.empty()) {
      state_ = std::move(impl.free_states_.back());
      impl.free_states_.pop_back();
    } else {
      state_ = std::make_unique<State>();
    }
  }
  ~StateLease() {
    const std::lock_guard lock(impl_.mutex_);
    impl_.free_states_.push_back(std::move(state_));
  }
  StateLease(const StateLease&) = delete;
  StateLease& operator=(const StateLease&) = delete;

  State& state() { return *state_; }

 private:
  const Impl& impl_;
  std::unique_ptr<State> state_;
};

Tokenizer::Impl::Impl(const TokenizerTexts& texts, const std::string& where) {
  const std::string file_name = where + "/tokenizer.json";
  TokenizerFile file = parse_tokenizer_file(texts.tokenizer, file_name);
  if (const auto version = file.json.find("version");
      version != file.json.end() && *version != "1.0") {
    throw Error({.what = "this version of the format is not supported",
                 .where = file_name,
                 .expected = "version 1.0",
                 .found = to_line(*version)});
  }
  const ConfigFiles files = {
      .tokenizer_config = parse_optional(texts.tokenizer_config, where + "/tokenizer_config.json"),
      .special_tokens_map =
          parse_optional(texts.special_tokens_map, where + "/special_tokens_map.json"),
      .added_tokens = parse_optional(texts.added_tokens, where + "/added_tokens.json"),
      .model_config = parse_optional(texts.model_config, where + "/config.json"),
      .where = where};
  config_ = resolve_tokenizer_config(files, file.json);
  normalizer_ = load_optional(file.json, "normalizer", file_name, load_normalizer);
  pre_tokenizer_ = load_optional(file.json, "pre_tokenizer", file_name, load_pre_tokenizer);
  post_processor_ = load_optional(file.json, "post_processor", file_name, load_post_processor);
  decoder_ = load_optional(file.json, "decoder", file_name, load_decoder);
  try {
    model_ = load_model(require(file.json, "model", ""), std::move(file.tables), "model");
  } catch (const Error& error) {
    throw error.located(file_name);
  }
  add_tokens(file.json, file_name);
  always_tracked_ = pre_tokenizer_.wants_positions && normalizer_;
  if (model_->takes_raw_bytes() && pre_tokenizer_.without_byte_mapping) {
    pre_tokenizer_.run = pre_tokenizer_.without_byte_mapping;
    raw_bytes_ = true;
  }
}

void Tokenizer::Impl::add_tokens(const Json& tokenizer_json, const std::string& where) {
  const Vocabulary& vocabulary = model_->vocabulary();
  const auto listed = tokenizer_json.find("added_tokens");
  if (listed != tokenizer_json.end() && !listed->is_null()) {
    added_.add(parse_added_tokens(*listed, where + ": added_tokens"), vocabulary);
  }
  std::set<std::string, std::less<>> known;
  for (const auto& [id, token] : added_.by_id()) known.insert(token.content);
  added_.add(tokens_to_add(config_, known), vocabulary);
  added_.set_split_special_tokens(config_.split_special_tokens);
  try {
    added_.finish(normalizer_, vocabulary);
  } catch (const Error& error) {
    throw error.located(where);
  }
  if (!config_.rebuilds_post_processor) return;
  const auto named = [&](bool wanted, const char* name, const char* option) -> NamedToken {
    if (!wanted) return {};
    const auto found = config_.special_tokens.find(name);
    if (found == config_.special_tokens.end()) {
      throw Error(
          {.what = fmt::format("'{}' is true, but there is no {}", option, name), .where = where});
    }
    const std::string& token = found->second.token.content;
    return {token, std::max<int64_t>(added_.id_in(token, vocabulary), 0)};
  };
  post_processor_ =
      make_bos_eos_processor(named(config_.add_bos_token, "bos_token", "add_bos_token"),
                             named(config_.add_eos_token, "eos_token", "add_eos_token"));
}

Encoding Tokenizer::Impl::encode(std::string_view text, const EncodeOptions& options) const {
  StateLease lease(*this);
  return encode_with(lease.state(), text, options);
}

std::vector<Encoding> Tokenizer::Impl::encode_batch(std::span<const std::string> texts,
                                                    const EncodeOptions& options,
                                                    int threads) const {
  std::vector<Encoding> encodings(texts.size());
  parallel_for(static_cast<int64_t>(texts.size()), threads, [&](int64_t begin, int64_t end) {
    StateLease lease(*this);
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      try {
        encodings[i] = encode_with(lease.state(), texts[i], options);
      } catch (const Error& error) {
        throw error.located(fmt::format("text {}", i));
      }
    }
  });
  return encodings;
}

Encoding Tokenizer::Impl::encode_with(State& state, std::string_view text,
                                      const EncodeOptions& options) const {
  if (text.size() > kLongestText) {
    throw Error({.what = fmt::format("the text has {} bytes", text.size()),
                 .expected = "less than 2 GiB",
                 .hint = "split it"});
  }
  text::validate_utf8(text);
  state.text.reset(text, options.with_offsets || always_tracked_);
  added_.extract(normalizer_, state.text);
  if (pre_tokenizer_.run) pre_tokenizer_.run(state.text);

  Encoding encoding;
  encoding.with_offsets = options.with_offsets;
  const bool trims = options.with_offsets && post_processor_.trims_offsets;
  encoding.with_tokens = options.with_tokens || trims;
  for (const Piece& piece : state.text.pieces()) tokenize_piece(state, piece, encoding);
  if (options.with_offsets && !options.byte_offsets) {
    index_characters(text, state.character_of_byte);
    for (TextOffset& offset : encoding.offsets) {
      offset = to_characters(offset, state.character_of_byte);
    }
  }
  encoding.type_ids.assign(encoding.ids.size(), 0);
  encoding.special_tokens_mask.assign(encoding.ids.size(), 0);
  truncate(encoding, options);
  if (post_processor_.process) {
    encoding = post_process(post_processor_, std::move(encoding), options.add_special_tokens);
  }
  if (!options.with_tokens) {
    encoding.tokens.clear();
    encoding.with_tokens = false;
  }
  return encoding;
}

void Tokenizer::Impl::tokenize_piece(State& state, const Piece& piece, Encoding& encoding) const {
  const std::string_view text = state.text.text(piece);
  if (piece.token >= 0) {
    encoding.ids.push_back(piece.token);
    if (encoding.with_tokens) encoding.tokens.emplace_back(text);
    if (encoding.with_offsets) {
      encoding.offsets.push_back(original_offset(state.text, piece, 0, piece.end - piece.begin));
    }
    return;
  }
  const std::string_view mark = model_->word_start();
  if (mark.empty()) return tokenize_word(state, piece, text, 0, encoding);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    while (text.substr(end).starts_with(mark)) end += mark.size();
    end = std::min(text.find(mark, end), text.size());
    tokenize_word(state, piece, text.substr(begin, end - begin), static_cast<uint32_t>(begin),
                  encoding);
    begin = end;
  }
}

void Tokenizer::Impl::tokenize_word(State& state, const Piece& piece, std::string_view word,
                                    uint32_t begin, Encoding& encoding) const {
  const bool cacheable = word.size() <= WordCache::kMaxWordBytes;
  const uint64_t hash = cacheable ? hash_bytes(word) : 0;
  auto tokens = cacheable ? state.cache.find(word, hash) : std::nullopt;
  if (!tokens) {
    state.tokens.clear();
    if (raw_bytes_) {
      model_->tokenize_bytes(word, state.tokens);
    } else {
      model_->tokenize(word, state.tokens);
    }
    tokens = state.tokens;
    if (cacheable) state.cache.insert(word, hash, *tokens);
  }
  for (const ModelToken& token : *tokens) {
    encoding.ids.push_back(token.id);
    if (encoding.with_tokens) encoding.tokens.push_back(model_->token_text(word, token));
    if (encoding.with_offsets) {
      encoding.offsets.push_back(
          original_offset(state.text, piece, begin + token.begin, begin + token.end));
    }
  }
}

void Tokenizer::Impl::truncate(Encoding& encoding, const EncodeOptions& options) const {
  if (!options.max_length) return;
  const int64_t special = options.add_special_tokens ? post_processor_.added_tokens : 0;
  const int64_t room = *options.max_length - special;
  if (room < 0) {
    throw Error({.what = fmt::format("max_length is {}", *options.max_length),
                 .expected = fmt::format("at least the {} special tokens", special)});
  }
  const auto size = static_cast<int64_t>(encoding.ids.size());
  if (size <= room) return;
  const auto cut = [&](auto& values) {
    if (static_cast<int64_t>(values.size()) != size) return;
    if (config_.truncate_left) values.erase(values.begin(), values.end() - room);
    values.resize(static_cast<size_t>(room));
  };
  cut(encoding.ids);
  cut(encoding.type_ids);
  cut(encoding.special_tokens_mask);
  cut(encoding.tokens);
  cut(encoding.offsets);
}

}  // namespace palimpsest::tokenizer
