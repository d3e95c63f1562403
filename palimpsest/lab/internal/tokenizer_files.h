// Trains the tokenizer of the lab's models and writes it as Hugging Face files: tokenizer.json and
// tokenizer_config.json. Its chat template writes one special token before each message and one
// after an answer. The padding token is used for nothing else, so an attention mask that hides
// padding hides no other token.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>

#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::lab {

// The names of the files. They are the same in checkpoint folders.
constexpr const char* kTokenizerFile = "tokenizer.json";
constexpr const char* kTokenizerConfigFile = "tokenizer_config.json";

// Trains byte-level BPE on the texts. The vocabulary has at most `vocab_size` tokens, including the
// special tokens. Throws Error unless min_vocab_size() <= vocab_size <= 16384, and Stopped once
// `stop` requests it.
tokenizer::TokenizerTexts train_tokenizer(std::span<const std::string> texts, int64_t vocab_size,
                                          const std::stop_token& stop = {});

int64_t min_vocab_size();

// Writes the files into `folder`, which is created if necessary. Throws Error if another file that
// the lab did not write has one of their names.
void write_tokenizer(const tokenizer::TokenizerTexts& texts, const std::filesystem::path& folder);

}  // namespace palimpsest::lab
