// SentencePiece's precompiled character map: a double-array trie from byte strings to replacements,
// as the Precompiled normalizer of tokenizer.json carries it (base64). Files that point outside of
// themselves are refused or simply do not match; nothing is read out of bounds.
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

  // What the shortest prefix of `chunk` that the map knows becomes, or nothing if it knows none.
  std::optional<std::string_view> transform(std::string_view chunk) const;

 private:
  std::vector<uint32_t> trie_;
  std::string replacements_;  // each ends in a NUL
};

}  // namespace palimpsest::tokenizer
