// What a tokenizer makes of a text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace palimpsest::tokenizer {

// [begin, end) in characters of the text, or in bytes: see EncodeOptions. Tokens that stand for no
// text have 0, 0.
struct TextOffset {
  int64_t begin = 0;
  int64_t end = 0;

  friend bool operator==(const TextOffset&, const TextOffset&) = default;
};

// All arrays that are filled have one element per token. ids, type_ids and special_tokens_mask always
// are; tokens and offsets if they were asked for.
struct Encoding {
  std::vector<int64_t> ids;
  std::vector<uint8_t> type_ids;
  std::vector<uint8_t> special_tokens_mask;  // 1: put there by the post-processor
  std::vector<std::string> tokens;
  std::vector<TextOffset> offsets;
  bool with_tokens = false;
  bool with_offsets = false;
};

}  // namespace palimpsest::tokenizer
