// tokenizer.json, read in one pass: the model's vocabulary and merges (which are nearly all of the
// file) go straight into tables, the rest becomes JSON. Memory is a small multiple of the file.
// For source files only (shows nlohmann's types).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/tokenizer/internal/added_vocabulary.h"
#include "palimpsest/tokenizer/internal/token_model.h"

namespace palimpsest::tokenizer {

struct TokenizerFile {
  Json json;           // without model.vocab and model.merges
  ModelTables tables;  // those two
};

// Throws Error, with `where` in front, if the text is not JSON, is nested too deep, or vocabulary
// or merges are not what they should be.
TokenizerFile parse_tokenizer_file(std::string_view text, const std::string& where);

// Builds the model. Takes the tables. Throws Error for a kind or a field that is not supported.
std::shared_ptr<const TokenModel> load_model(const Json& json, ModelTables tables,
                                             const std::string& where);

// The list "added_tokens" of tokenizer.json; also the values of tokenizer_config's
// "added_tokens_decoder" and of special_tokens_map.json have this form.
std::vector<AddedToken> parse_added_tokens(const Json& json, const std::string& where);
AddedToken parse_added_token(const Json& json, const std::string& where);

}  // namespace palimpsest::tokenizer
