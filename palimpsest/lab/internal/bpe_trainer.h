// Trains byte-level BPE (Sennrich et al. 2016, on bytes as GPT-2 does): starts from the 256 bytes
// and again and again joins the pair of neighbours that is most frequent. For texts of a few
// megabytes; the result depends on the texts alone, not on their order.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace palimpsest::lab {

struct Bpe {
  // Tokens as byte-level characters: the 256 bytes in the order of their values, then one per
  // merge.
  std::vector<std::string> tokens;
  // Which two tokens are joined, in the order of learning: tokens[256 + i] is merge i.
  std::vector<std::pair<int64_t, int64_t>> merges;
};

// GPT-2's expression for what is never joined across: the one that ByteLevel pre-tokenizers use.
extern const char* const kByteLevelWords;

// At most `num_tokens` tokens (at least 256): fewer where no pair occurs twice any more. Among
// equally frequent pairs the one with the smaller first, then second, token is joined. Throws Error
// for a text that is not UTF-8, and Stopped once `stop` requests it.
Bpe train_bpe(std::span<const std::string> texts, int64_t num_tokens,
              const std::stop_token& stop = {});

}  // namespace palimpsest::lab
