// SentencePiece's precompiled character map: a double-array trie from byte strings to replacements.
// The Precompiled normalizer of tokenizer.json holds it in base64. A map with invalid offsets is
// refused or simply does not match; nothing is read out of bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::tokenizer {

class Charsmap {
 public:
  // Throws Error if the text is not base64 or not a character map.
  static Charsmap from_base64(std::string_view text);

  // The replacement of the shortest prefix of `chunk` that is in the map; nullopt if there is none.
  std::optional<std::string_view> transform(std::string_view chunk) const;

 private:
  std::vector<uint32_t> trie_;
  std::string replacements_;  // each ends in a NUL
};

}  // namespace palimpsest::tokenizer
