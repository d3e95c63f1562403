// Two models. BERT's WordPiece takes the longest token that fits, from left to right. WordLevel has
// only whole words.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/tokenizer/internal/token_model.h"

namespace palimpsest::tokenizer {

struct WordPieceOptions {
  std::string unk_token = {};
  std::string continuing_subword_prefix = "##";  // marks tokens that do not start a word
  int64_t max_input_chars_per_word = 100;        // longer words are unknown
};

class WordPiece final : public TokenModel {
 public:
  WordPiece(WordPieceOptions options, const ModelTables& tables);

  // If any part of a word is unknown, the word becomes one unknown token. Throws Error if there is
  // no unknown token.
  void tokenize(std::string_view piece, std::vector<ModelToken>& tokens) const override;

 private:
  WordPieceOptions options_;
  size_t longest_token_ = 0;  // in bytes
};

class WordLevel final : public TokenModel {
 public:
  WordLevel(std::string unk_token, const ModelTables& tables);

  void tokenize(std::string_view piece, std::vector<ModelToken>& tokens) const override;

 private:
  std::string unk_token_;
};

}  // namespace palimpsest::tokenizer
