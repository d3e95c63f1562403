// Labels that the tokenizer cannot represent. Many of them are a sign that the tokenizer belongs to
// another model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::data {

// Beyond this share of unknown tokens among the labels a tokenizer is suspected to be another
// model's. The tokenizers of current models can represent every byte and produce no unknown tokens.
// Older ones fail on a few rare characters, far fewer than one in twenty tokens. Beyond this share
// the scores say more about the unknown token than about the text.
inline constexpr double kManyUnknown = 0.05;

// A warning where more than that share of the labelled tokens is the tokenizer's unknown token.
// `title` names the data.
std::optional<std::string> unknown_tokens_note(const std::string& title,
                                               const std::vector<Example>& examples,
                                               const tokenizer::Tokenizer& tokenizer);

}  // namespace palimpsest::data
