// Tokenizers of Hugging Face checkpoints. They are read from tokenizer.json, tokenizer_config.json
// and special_tokens_map.json, and give the same ids, offsets and texts as transformers' fast
// tokenizers.
//
//   Tokenizer tokenizer = Tokenizer::load("checkpoint");
//   Encoding encoding = tokenizer.encode("Hello world");
//   std::string text = tokenizer.decode(encoding.ids);
//
// A tokenizer is immutable. Copies share its data, and threads may share a tokenizer. Loading
// throws Error, with the file and the component, if the files need a feature that is not supported.
// Encoding throws Error, with the byte offset, if a text is not valid UTF-8.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::tokenizer {

// The part [begin, end) of the text that a token stands for. It is counted in characters or in
// bytes (see EncodeOptions). Tokens that stand for no text have begin = end = 0.
struct TextOffset {
  int64_t begin = 0;
  int64_t end = 0;

  friend bool operator==(const TextOffset&, const TextOffset&) = default;
};

// Every filled array has one element per token. ids, type_ids and special_tokens_mask are always
// filled; tokens and offsets are filled only on request.
struct Encoding {
  std::vector<int64_t> ids;
  std::vector<uint8_t> type_ids;
  std::vector<uint8_t> special_tokens_mask;  // 1: added by the post-processor, not part of the text
  std::vector<std::string> tokens;
  std::vector<TextOffset> offsets;
  bool with_tokens = false;
  bool with_offsets = false;
};

struct EncodeOptions {
  bool add_special_tokens = true;
  // The largest number of tokens, including special ones. Longer encodings are cut on the right, or
  // on the left if tokenizer_config.json says so. Throws Error if even the special tokens are more
  // than this.
  std::optional<int64_t> max_length = std::nullopt;
  // Whether Encoding::tokens and Encoding::offsets are filled.
  bool with_tokens = false;
  bool with_offsets = false;
  bool byte_offsets = false;  // offsets count bytes instead of characters
};

struct DecodeOptions {
  bool skip_special_tokens = false;
  // Whether " ." becomes "." and so on. If absent, tokenizer_config.json decides.
  std::optional<bool> clean_up_tokenization_spaces = std::nullopt;
};

// The contents of a tokenizer's files. Only `tokenizer` (tokenizer.json) is required.
struct TokenizerTexts {
  std::string tokenizer;
  std::optional<std::string> tokenizer_config = std::nullopt;
  std::optional<std::string> special_tokens_map = std::nullopt;
  std::optional<std::string> added_tokens = std::nullopt;
  std::optional<std::string> model_config = std::nullopt;  // config.json, for its model_type
};

class Tokenizer {
 public:
  // Reads the files of a checkpoint folder.
  static Tokenizer load(const std::filesystem::path& folder);
  // The files of the folder that decide what load() returns. added_tokens.json is left out if
  // tokenizer_config.json has added_tokens_decoder. config.json is left out if
  // tokenizer_config.json names the tokenizer's class. special_tokens_map.json is never left out,
  // because fingerprints have always included it.
  static std::vector<std::filesystem::path> files(const std::filesystem::path& folder);
  // Parses texts that are already in memory. `where` replaces the folder's name in messages.
  static Tokenizer from_texts(const TokenizerTexts& texts, const std::string& where);

  // Throws Error for invalid UTF-8, for a text of 2 GiB or more, and for characters that the
  // vocabulary cannot represent.
  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;

  // Encodes many texts on `threads` threads (0: one per core).
  std::vector<Encoding> encode_batch(std::span<const std::string> texts,
                                     const EncodeOptions& options = {}, int threads = 0) const;

  // Ids that are not in the vocabulary are skipped.
  std::string decode(std::span<const int64_t> ids, const DecodeOptions& options = {}) const;

  std::optional<int64_t> token_to_id(std::string_view token) const;
  std::optional<std::string> id_to_token(int64_t id) const;

  // The number of distinct tokens, including added ones.
  int64_t vocab_size() const;

  // The special token with this name in tokenizer_config.json: "bos_token", "eos_token",
  // "unk_token", "sep_token", "pad_token", "cls_token" or "mask_token". Two defaults are those of
  // open-unlearning: a missing end token (eos_token) becomes <|endoftext|>, and a missing padding
  // token becomes the end token.
  std::optional<std::string> special_token(std::string_view name) const;
  // The id of that special token, or nullopt if it is not in the vocabulary.
  std::optional<int64_t> special_token_id(std::string_view name) const;
  std::optional<int64_t> bos_id() const { return special_token_id("bos_token"); }
  std::optional<int64_t> eos_id() const { return special_token_id("eos_token"); }
  std::optional<int64_t> pad_id() const { return special_token_id("pad_token"); }
  std::optional<int64_t> unk_id() const { return special_token_id("unk_token"); }

  // The id that encode() gives to text that the vocabulary cannot represent. It comes from the
  // tokenizer's model and may differ from unk_id(). nullopt if there is none, as for vocabularies
  // with a token for every byte.
  std::optional<int64_t> unknown_id() const;

  // Whether decode() leaves this id out if skip_special_tokens is set.
  bool is_special(int64_t id) const;

 private:
  class Impl;
  explicit Tokenizer(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

  std::shared_ptr<const Impl> impl_;
};

}  // namespace palimpsest::tokenizer
