// The settings that transformers applies in addition to tokenizer.json: which special tokens there
// are, which tokens are added, and which components some tokenizer classes change. It follows
// AutoTokenizer (fast) of transformers 4.45. This header is for source files only, because it uses
// nlohmann's types.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/tokenizer/internal/added_vocabulary.h"

namespace palimpsest::tokenizer {

// The JSON files of a checkpoint folder; null for files that do not exist.
struct ConfigFiles {
  Json tokenizer_config;
  Json special_tokens_map;
  Json added_tokens;
  Json model_config;
  std::string where;  // the folder, for messages
};

// Whether tokenizer_config.json leaves it to these other files to say which tokens are added, and
// of which class the tokenizer is.
bool needs_added_tokens(const Json& tokenizer_config);
bool needs_model_config(const Json& tokenizer_config);

// A special token as transformers keeps it: with properties, or by its name only.
struct SpecialToken {
  AddedToken token;
  bool name_only = true;
};

struct TokenizerConfig {
  std::string tokenizer_class;  // without "Fast"; empty if unknown
  std::map<std::string, SpecialToken, std::less<>>
      special_tokens;  // by a name of kSpecialTokenNames
  std::vector<SpecialToken> additional_special_tokens;
  std::map<int64_t, AddedToken> added_tokens_decoder;
  bool clean_up_tokenization_spaces = false;
  bool split_special_tokens = false;
  bool truncate_left = false;
  // Some classes add these tokens around the text, whatever tokenizer.json says.
  bool rebuilds_post_processor = false;
  bool add_bos_token = false;
  bool add_eos_token = false;
};

// Reads the files, and changes the components in `tokenizer_json` as the tokenizer class does.
TokenizerConfig resolve_tokenizer_config(const ConfigFiles& files, Json& tokenizer_json);

// The tokens that transformers adds to those of tokenizer.json, in order. `known` has the contents
// of the tokens added so far.
std::vector<AddedToken> tokens_to_add(const TokenizerConfig& config,
                                      const std::set<std::string, std::less<>>& known);

}  // namespace palimpsest::tokenizer
