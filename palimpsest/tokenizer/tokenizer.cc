#include "palimpsest/tokenizer/tokenizer.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/tokenizer/internal/config.h"
#include "palimpsest/tokenizer/internal/impl.h"

namespace palimpsest::tokenizer {
namespace {

constexpr const char* kTokenizerFile = "tokenizer.json";

// The files besides tokenizer.json. Each may be absent.
struct OptionalFile {
  const char* name;
  std::optional<std::string> TokenizerTexts::*text;
  bool (*is_needed)(const Json& tokenizer_config) = nullptr;  // null: it always counts
};
constexpr OptionalFile kConfigFile = {"tokenizer_config.json", &TokenizerTexts::tokenizer_config};
constexpr OptionalFile kOptionalFiles[] = {
    kConfigFile,
    {"special_tokens_map.json", &TokenizerTexts::special_tokens_map},
    {"added_tokens.json", &TokenizerTexts::added_tokens, needs_added_tokens},
    {"config.json", &TokenizerTexts::model_config, needs_model_config},
};

std::optional<std::string> read_if_there(const std::filesystem::path& path) {
  if (!is_listed(path)) return std::nullopt;
  return read_file(path);
}

}  // namespace

Tokenizer Tokenizer::load(const std::filesystem::path& folder) {
  TokenizerTexts texts;
  texts.tokenizer = read_file(folder / kTokenizerFile);
  for (const OptionalFile& file : kOptionalFiles)
    texts.*file.text = read_if_there(folder / file.name);
  return from_texts(texts, folder.string());
}

std::vector<std::filesystem::path> Tokenizer::files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (is_listed(folder / kTokenizerFile)) files.push_back(folder / kTokenizerFile);
  const std::filesystem::path config_file = folder / kConfigFile.name;
  const std::optional<std::string> text = read_if_there(config_file);
  const Json config = text ? parse_json(*text, config_file.string()) : Json();
  for (const OptionalFile& file : kOptionalFiles) {
    const bool is_needed = file.is_needed == nullptr || file.is_needed(config);
    if (is_needed && is_listed(folder / file.name)) files.push_back(folder / file.name);
  }
  return files;
}

Tokenizer Tokenizer::from_texts(const TokenizerTexts& texts, const std::string& where) {
  return Tokenizer(std::make_shared<const Impl>(texts, where));
}

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  return impl_->encode(text, options);
}

std::vector<Encoding> Tokenizer::encode_batch(std::span<const std::string> texts,
                                              const EncodeOptions& options, int threads) const {
  return impl_->encode_batch(texts, options, threads);
}

std::string Tokenizer::decode(std::span<const int64_t> ids, const DecodeOptions& options) const {
  std::vector<std::string> tokens;
  for (const int64_t id : ids) {
    auto token = id_to_token(id);
    if (!token || (options.skip_special_tokens && impl_->added_.is_special(*token))) continue;
    tokens.push_back(*std::move(token));
  }
  std::string text;
  if (impl_->decoder_) {
    impl_->decoder_(tokens);
    for (const std::string& token : tokens) text += token;
  } else {
    text = fmt::format("{}", fmt::join(tokens, " "));
  }
  const bool clean_up =
      options.clean_up_tokenization_spaces.value_or(impl_->config_.clean_up_tokenization_spaces);
  return clean_up ? clean_up_tokenization(text) : text;
}

std::optional<int64_t> Tokenizer::token_to_id(std::string_view token) const {
  const int64_t id = impl_->added_.id_in(token, impl_->model_->vocabulary());
  return id < 0 ? std::nullopt : std::optional(id);
}

std::optional<std::string> Tokenizer::id_to_token(int64_t id) const {
  if (const AddedToken* token = impl_->added_.token_of(id)) return token->content;
  const auto token = impl_->model_->vocabulary().token_of(id);
  return token ? std::optional<std::string>(*token) : std::nullopt;
}

int64_t Tokenizer::vocab_size() const {
  const Vocabulary& vocabulary = impl_->model_->vocabulary();
  return vocabulary.size() + std::ranges::count_if(impl_->added_.by_id(), [&](const auto& entry) {
           return vocabulary.id_of(entry.second.content) < 0;
         });
}

std::optional<std::string> Tokenizer::special_token(std::string_view name) const {
  const auto found = impl_->config_.special_tokens.find(name);
  if (found != impl_->config_.special_tokens.end()) return found->second.token.content;
  if (name == "eos_token") return "<|endoftext|>";
  if (name == "pad_token") return special_token("eos_token");
  return std::nullopt;
}

std::optional<int64_t> Tokenizer::special_token_id(std::string_view name) const {
  const auto token = special_token(name);
  if (!token) return std::nullopt;
  if (const auto id = token_to_id(*token)) return id;
  // As transformers: a token outside of the vocabulary is the unknown one.
  const auto unknown = special_token("unk_token");
  return unknown ? token_to_id(*unknown) : std::nullopt;
}

std::optional<int64_t> Tokenizer::unknown_id() const {
  const int64_t id = impl_->model_->unknown_id();
  return id < 0 ? std::nullopt : std::optional(id);
}

bool Tokenizer::is_special(int64_t id) const {
  const auto token = id_to_token(id);
  return token && impl_->added_.is_special(*token);
}

}  // namespace palimpsest::tokenizer
