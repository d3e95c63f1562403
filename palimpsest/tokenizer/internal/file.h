// Reads tokenizer.json in one pass. The model's vocabulary and merges, which are nearly all of the
// file, go directly into tables; the rest becomes JSON. The memory is a small multiple of the
// file's size. This header is for source files only, because it uses nlohmann's types.
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
  ModelTables tables;  // model.vocab and model.merges
};

// Throws Error, which begins with `where`, if the text is not JSON or is nested too deep, or if the
// vocabulary or the merges are malformed.
TokenizerFile parse_tokenizer_file(std::string_view text, const std::string& where);

// Makes the model and takes over the tables. Throws Error for a kind or a field that is not
// supported.
std::shared_ptr<const TokenModel> load_model(const Json& json, ModelTables tables,
                                             const std::string& where);

// Parses the list "added_tokens" of tokenizer.json. The values of "added_tokens_decoder" in
// tokenizer_config.json and of special_tokens_map.json have the same form.
std::vector<AddedToken> parse_added_tokens(const Json& json, const std::string& where);
AddedToken parse_added_token(const Json& json, const std::string& where);

}  // namespace palimpsest::tokenizer
