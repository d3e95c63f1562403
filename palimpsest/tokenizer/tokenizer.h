// Hugging Face tokenizers: tokenizer.json, tokenizer_config.json and special_tokens_map.json of a
// checkpoint folder, with the ids, offsets and texts that transformers' fast tokenizers give.
//
//   Tokenizer tokenizer = Tokenizer::load("checkpoint");
//   Encoding encoding = tokenizer.encode("Hello world");
//   std::string text = tokenizer.decode(encoding.ids);
//
// A tokenizer is immutable: copies share it, and so may threads. What it does not support it
// refuses when it is loaded (Error, with the file and the component); a text that is not UTF-8 is
// an Error with the byte offset.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/encoding.h"

namespace palimpsest::tokenizer {

struct EncodeOptions {
  bool add_special_tokens = true;
  // At most this many tokens, special ones included; the rest is cut off on the right (on the left
  // if the folder says so). Fewer than there are special tokens is an Error.
  std::optional<int64_t> max_length = std::nullopt;
  bool with_tokens = false;
  bool with_offsets = false;  // in characters, or
  bool byte_offsets = false;  // in bytes, if with_offsets
};

struct DecodeOptions {
  bool skip_special_tokens = false;
  // " ." to "." and so on; as tokenizer_config.json says if not given.
  std::optional<bool> clean_up_tokenization_spaces = std::nullopt;
};

// The contents of the files. Only tokenizer.json is required.
struct TokenizerTexts {
  std::string tokenizer;
  std::optional<std::string> tokenizer_config = std::nullopt;
  std::optional<std::string> special_tokens_map = std::nullopt;
  std::optional<std::string> added_tokens = std::nullopt;
  std::optional<std::string> model_config = std::nullopt;  // config.json, for its model_type
};

class Tokenizer {
 public:
  // Reads the files of a folder.
  static Tokenizer load(const std::filesystem::path& folder);
  // From texts; `where` stands for the folder in messages.
  static Tokenizer from_texts(const TokenizerTexts& texts, const std::string& where);

  // Throws Error for invalid UTF-8, for a text of 2 GiB or more, and for characters that the
  // vocabulary cannot write.
  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;

  // The encodings of many texts, on `threads` threads (0: one for each core).
  std::vector<Encoding> encode_batch(std::span<const std::string> texts,
                                     const EncodeOptions& options = {}, int threads = 0) const;

  // Ids that no token has are left out.
  std::string decode(std::span<const int64_t> ids, const DecodeOptions& options = {}) const;

  std::optional<int64_t> token_to_id(std::string_view token) const;
  std::optional<std::string> id_to_token(int64_t id) const;

  // The number of different tokens, added ones included.
  int64_t vocab_size() const;

  // By the names of tokenizer_config.json: "bos_token", "eos_token", "unk_token", "sep_token",
  // "pad_token", "cls_token", "mask_token". As open-unlearning sets them: an absent end token
  // becomes
  // <|endoftext|>, an absent padding token the end token.
  std::optional<std::string> special_token(std::string_view name) const;
  // The id of the token of that name; nothing if there is no such token in the vocabulary.
  std::optional<int64_t> special_token_id(std::string_view name) const;
  std::optional<int64_t> bos_id() const { return special_token_id("bos_token"); }
  std::optional<int64_t> eos_id() const { return special_token_id("eos_token"); }
  std::optional<int64_t> pad_id() const { return special_token_id("pad_token"); }
  std::optional<int64_t> unk_id() const { return special_token_id("unk_token"); }

  // The token that encode() gives for what the vocabulary cannot write, whatever unk_token says;
  // nothing where there is none (every byte has its token).
  std::optional<int64_t> unknown_id() const;

  // Whether decode(skip_special_tokens) leaves this id out.
  bool is_special(int64_t id) const;

 private:
  class Impl;
  explicit Tokenizer(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

  std::shared_ptr<const Impl> impl_;
};

}  // namespace palimpsest::tokenizer
