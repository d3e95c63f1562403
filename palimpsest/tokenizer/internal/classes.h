// The tokenizer classes that transformers knows by name. A class determines default special tokens
// and may change components of tokenizer.json.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace palimpsest::tokenizer {

inline constexpr std::array<std::string_view, 7> kSpecialTokenNames = {
    "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"};

struct TokenizerClass {
  std::string_view name;  // as in tokenizer_config.json, without "Fast"
  // The defaults if the files do not name them, in the order of kSpecialTokenNames. Empty: none.
  std::array<std::string_view, kSpecialTokenNames.size()> special_tokens;
  bool rebuilds_post_processor = false;  // according to add_bos_token and add_eos_token
  bool adds_bos = false;                 // the default of add_bos_token
  bool sets_prefix_space = false;        // according to add_prefix_space
  bool sets_bert_normalizer = false;     // according to do_lower_case, strip_accents, …
  bool adds_extra_ids = false;           // adds <extra_id_0> …
};

// Returns null if the class is not in the table.
const TokenizerClass* find_tokenizer_class(std::string_view name);

// The class for a model_type of config.json; empty if it is not in the table.
std::string tokenizer_class_of_model(std::string_view model_type);

}  // namespace palimpsest::tokenizer
