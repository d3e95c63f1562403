// The model of a tokenizer divides a piece of text into tokens of its vocabulary.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/vocabulary.h"

namespace palimpsest::tokenizer {

// A token within a piece: its id, and the bytes of the piece that it covers.
struct ModelToken {
  int64_t id = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
};

// Immutable; threads may share a model.
class TokenModel {
 public:
  virtual ~TokenModel() = default;

  // Appends the tokens of a piece, which must be valid UTF-8. Throws Error if the vocabulary cannot
  // represent the text and the model has no unknown token.
  virtual void tokenize(std::string_view piece, std::vector<ModelToken>& tokens) const = 0;

  // The text that users see for a token that tokenize() returned for this piece: if the model does
  // not say otherwise, the token itself.
  virtual std::string token_text(std::string_view piece, const ModelToken& token) const;

  const Vocabulary& vocabulary() const { return vocabulary_; }

  // The id of the unknown token; -1 if there is none.
  int64_t unknown_id() const { return unk_id_; }

  // Whether tokenize_bytes() works. It takes a piece in raw bytes and gives the tokens that
  // tokenize() gives for the piece in byte-level characters, with positions in the raw piece.
  virtual bool takes_raw_bytes() const { return false; }
  virtual void tokenize_bytes(std::string_view piece, std::vector<ModelToken>& tokens) const;

  // Characters before which a long text can be divided into words without changing its tokens. A
  // word begins before each of these characters that does not follow another one. Empty if the text
  // cannot be divided. This makes long pieces faster.
  virtual std::string_view word_start() const { return {}; }

 protected:
  Vocabulary vocabulary_;
  int64_t unk_id_ = -1;
};

// The vocabulary and the merges of a model in tokenizer.json, in the order of the file. They are
// too big to be kept as JSON.
struct ModelTables {
  bool vocab_is_list = false;                          // as in Unigram: [[token, score], …]
  std::vector<std::pair<std::string, int64_t>> vocab;  // token and id
  std::vector<double> scores;                          // one per entry of vocab, if it is a list
  std::vector<std::pair<std::string, std::string>> merges;
  bool has_vocab = false;
  bool has_merges = false;

  size_t vocab_bytes() const;  // the length of all tokens together
};

// The tokens of a vocabulary that is not a list. If a token occurs twice, the last entry counts.
Vocabulary make_vocabulary(const ModelTables& tables);

// The ids of the tokens <0x00> … <0xFF>, which stand for bytes; -1 for tokens that are not there.
std::array<int64_t, 256> fallback_ids(const Vocabulary& vocabulary);

}  // namespace palimpsest::tokenizer
