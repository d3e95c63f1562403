#include "palimpsest/tokenizer/tokenizer.h"

#include "palimpsest/base/file.h"
#include "palimpsest/tokenizer/internal/impl.h"

namespace palimpsest::tokenizer {
namespace {

std::optional<std::string> read_if_there(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  return read_file(path);
}

}  // namespace

Tokenizer Tokenizer::load(const std::filesystem::path& folder) {
  TokenizerTexts texts;
  texts.tokenizer = read_file(folder / "tokenizer.json");
  texts.tokenizer_config = read_if_there(folder / "tokenizer_config.json");
  texts.special_tokens_map = read_if_there(folder / "special_tokens_map.json");
  texts.added_tokens = read_if_there(folder / "added_tokens.json");
  texts.model_config = read_if_there(folder / "config.json");
  return from_texts(texts, folder.string());
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
  return impl_->decode(ids, options);
}

std::optional<int64_t> Tokenizer::token_to_id(std::string_view token) const {
  return impl_->token_to_id(token);
}

std::optional<std::string> Tokenizer::id_to_token(int64_t id) const {
  return impl_->id_to_token(id);
}

int64_t Tokenizer::vocab_size() const {
  return impl_->vocab_size();
}

std::optional<std::string> Tokenizer::special_token(std::string_view name) const {
  return impl_->special_token(name);
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
  return impl_->unknown_id();
}

bool Tokenizer::is_special(int64_t id) const {
  return impl_->is_special(id);
}

}  // namespace palimpsest::tokenizer
