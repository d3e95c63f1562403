// The classes of tokenizer that transformers knows by name: their special tokens, and what they do
// to the components of tokenizer.json.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace palimpsest::tokenizer {

struct TokenizerClass {
  std::string_view name;  // as in tokenizer_config.json, without "Fast"
  // Used where the files say nothing: bos, eos, unk, sep, pad, cls, mask. Empty: none.
  std::array<std::pair<std::string_view, std::string_view>, 7> special_tokens;
  bool rebuilds_post_processor = false;  // from add_bos_token and add_eos_token
  bool adds_bos = false;                 // if the files do not say
  bool sets_prefix_space = false;        // from add_prefix_space
  bool sets_bert_normalizer = false;     // from do_lower_case, strip_accents, …
  bool adds_extra_ids = false;           // <extra_id_0> …
};

// Null if the class is not in the table.
const TokenizerClass* find_tokenizer_class(std::string_view name);

// The class for a model_type of config.json; empty if it is not in the table.
std::string tokenizer_class_of_model(std::string_view model_type);

}  // namespace palimpsest::tokenizer
