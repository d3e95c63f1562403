// The model of a tokenizer: cuts a piece of text into tokens of its vocabulary.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/vocabulary.h"

namespace palimpsest::tokenizer {

// A token within a piece: its id and the bytes of the piece that it covers.
struct ModelToken {
  int64_t id = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
};

// Immutable; threads may share one.
class TokenModel {
 public:
  virtual ~TokenModel() = default;

  // Appends the tokens of a piece of valid UTF-8. Throws Error where the text cannot be written in
  // the vocabulary and the model has no token for the unknown.
  virtual void tokenize(std::string_view piece, std::vector<ModelToken>& tokens) const = 0;

  // What people see of a token that tokenize() gave for this piece.
  virtual std::string token_text(std::string_view piece, const ModelToken& token) const = 0;

  virtual const Vocabulary& vocabulary() const = 0;

  // The token for what the vocabulary cannot write; -1: there is none.
  virtual int64_t unknown_id() const = 0;

  // Whether tokenize_bytes() works: it takes a piece as it is and gives the tokens that tokenize()
  // gives for the piece in byte-level characters, with places in the raw piece.
  virtual bool takes_raw_bytes() const { return false; }
  virtual void tokenize_bytes(std::string_view piece, std::vector<ModelToken>& tokens) const;

  // Whether the tokens of a long text are those of its words, where words begin before each of
  // these characters that does not follow another of them; empty if not. Spares long pieces.
  virtual std::string_view word_start() const { return {}; }
};

// Everything of a model in tokenizer.json but its vocabulary and merges, which are too big to be
// kept as JSON: names and numbers in the order of the file.
struct ModelTables {
  bool vocab_is_list = false;                          // Unigram's [[token, score], …]
  std::vector<std::pair<std::string, int64_t>> vocab;  // token and id
  std::vector<double> scores;                          // beside vocab, if it is a list
  std::vector<std::pair<std::string, std::string>> merges;
  bool has_vocab = false;
  bool has_merges = false;
};

}  // namespace palimpsest::tokenizer
