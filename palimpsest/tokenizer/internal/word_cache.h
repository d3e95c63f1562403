// A cache of the tokens of words, because most words of a text occurred before. Its size is
// limited: when it is full, it is cleared. Must be used by one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/token_model.h"

namespace palimpsest::tokenizer {

class WordCache {
 public:
  // Longer words are not cached, because they rarely occur twice.
  static constexpr size_t kMaxWordBytes = 256;

  // Returns nullopt if the word is not in the cache. The tokens are valid until the next insert().
  std::optional<std::span<const ModelToken>> find(std::string_view word, uint64_t hash) const;
  void insert(std::string_view word, uint64_t hash, std::span<const ModelToken> tokens);

 private:
  static constexpr size_t kSlots = size_t{1} << 16;
  static constexpr size_t kMaxWords = kSlots / 2;
  static constexpr size_t kMaxTokens = size_t{1} << 18;
  static constexpr size_t kMaxBytes = size_t{1} << 21;

  struct Slot {
    uint64_t hash = 0;
    uint32_t text = 0;
    uint32_t tokens = 0;
    uint16_t text_size = 0;  // 0: free
    uint16_t token_count = 0;
  };

  std::vector<Slot> slots_;
  size_t words_ = 0;
  std::string texts_;
  std::vector<ModelToken> tokens_;
};

}  // namespace palimpsest::tokenizer
