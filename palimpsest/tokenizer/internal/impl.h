// The implementation of Tokenizer.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "palimpsest/tokenizer/internal/added_vocabulary.h"
#include "palimpsest/tokenizer/internal/config.h"
#include "palimpsest/tokenizer/internal/decoders.h"
#include "palimpsest/tokenizer/internal/normalizers.h"
#include "palimpsest/tokenizer/internal/post_processors.h"
#include "palimpsest/tokenizer/internal/pre_tokenizers.h"
#include "palimpsest/tokenizer/internal/token_model.h"
#include "palimpsest/tokenizer/internal/word_cache.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::tokenizer {

class Tokenizer::Impl {
 public:
  Impl(const TokenizerTexts& texts, const std::string& where);

  Encoding encode(std::string_view text, const EncodeOptions& options) const;
  std::vector<Encoding> encode_batch(std::span<const std::string> texts,
                                     const EncodeOptions& options, int threads) const;

 private:
  friend class Tokenizer;

  // Work space of one encode(), which later calls use again.
  struct State {
    PreTokenizedString text;
    WordCache cache;
    std::vector<ModelToken> tokens;
    std::vector<uint32_t> character_of_byte;
  };
  // Borrows a State while it exists, so that threads never share one.
  class StateLease;

  void add_tokens(const Json& tokenizer_json, const std::string& where);
  Encoding encode_with(State& state, std::string_view text, const EncodeOptions& options) const;
  void tokenize_piece(State& state, const Piece& piece, Encoding& encoding) const;
  void tokenize_word(State& state, const Piece& piece, std::string_view word, uint32_t begin,
                     Encoding& encoding) const;
  void truncate(Encoding& encoding, const EncodeOptions& options) const;

  TokenizerConfig config_;
  Normalizer normalizer_;  // this, the next two and the decoder may be empty
  PreTokenizer pre_tokenizer_;
  PostProcessor post_processor_;
  Decoder decoder_;
  std::shared_ptr<const TokenModel> model_;
  AddedVocabulary added_;
  bool raw_bytes_ = false;       // the model does the byte-level mapping itself
  bool always_tracked_ = false;  // a component needs positions in the original text
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<State>> free_states_;
};

}  // namespace palimpsest::tokenizer
