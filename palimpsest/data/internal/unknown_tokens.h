// Detects texts that the tokenizer cannot represent. Many unknown tokens are a sign that the
// tokenizer belongs to another model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::data {

// If more than this share of the labelled tokens is unknown, the tokenizer is suspected to belong
// to another model, and the scores say more about the unknown token than about the text. Tokenizers
// of current models can represent every byte and produce no unknown tokens. Older ones fail on a
// few rare characters, which are far fewer than one in twenty tokens.
inline constexpr double kManyUnknown = 0.05;

// Returns a warning if more than kManyUnknown of the labelled tokens are the tokenizer's unknown
// token. `title` names the data in the warning.
std::optional<std::string> unknown_tokens_note(const std::string& title,
                                               const std::vector<Example>& examples,
                                               const tokenizer::Tokenizer& tokenizer);

}  // namespace palimpsest::data
