// The tokenizer of the lab's models as Hugging Face files: tokenizer.json and tokenizer_config.json,
// with a chat template that writes one special token before each message and one after an answer.
// The padding token is one of its own, so that no mask hides anything else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::lab {

// The files' names, which a checkpoint has too.
constexpr const char* kTokenizerFile = "tokenizer.json";
constexpr const char* kTokenizerConfigFile = "tokenizer_config.json";

// Trains byte-level BPE on the texts. At most `vocab_size` tokens, special ones included. Throws
// Error unless min_vocab_size() <= vocab_size <= 16384.
tokenizer::TokenizerTexts train_tokenizer(std::span<const std::string> texts, int64_t vocab_size);

int64_t min_vocab_size();

// Into `folder`, which is made.
void write_tokenizer(const tokenizer::TokenizerTexts& texts, const std::filesystem::path& folder);

}  // namespace palimpsest::lab
