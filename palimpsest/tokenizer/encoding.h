// The result of tokenizing a text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace palimpsest::tokenizer {

// The part [begin, end) of the text that a token stands for. It is counted in characters or in
// bytes (see EncodeOptions). Tokens that stand for no text have begin = end = 0.
struct TextOffset {
  int64_t begin = 0;
  int64_t end = 0;

  friend bool operator==(const TextOffset&, const TextOffset&) = default;
};

// Every filled array has one element per token. ids, type_ids and special_tokens_mask are always
// filled; tokens and offsets are filled only on request.
struct Encoding {
  std::vector<int64_t> ids;
  std::vector<uint8_t> type_ids;
  std::vector<uint8_t> special_tokens_mask;  // 1: added by the post-processor, not part of the text
  std::vector<std::string> tokens;
  std::vector<TextOffset> offsets;
  bool with_tokens = false;
  bool with_offsets = false;
};

}  // namespace palimpsest::tokenizer
