// What the tests of the tokenizers' models have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/token_model.h"

namespace palimpsest::tokenizer {

using Strings = std::vector<std::string>;

// The texts of the tokens that a model makes of a piece.
inline Strings tokens_of(const TokenModel& model, std::string_view piece) {
  std::vector<ModelToken> tokens;
  model.tokenize(piece, tokens);
  Strings texts;
  for (const ModelToken& token : tokens) texts.push_back(model.token_text(piece, token));
  return texts;
}

}  // namespace palimpsest::tokenizer
