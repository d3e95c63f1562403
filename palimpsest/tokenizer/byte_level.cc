#include "palimpsest/tokenizer/internal/byte_level.h"

#include <array>
#include <vector>

#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::tokenizer {
namespace {

// Bytes that stand for themselves.
constexpr bool is_printable(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// The others, in order, get the characters from U+0100 on.
constexpr std::array<char32_t, 256> make_characters() {
  std::array<char32_t, 256> characters{};
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    characters[byte] = is_printable(byte) ? byte : next++;
  }
  return characters;
}

constexpr std::array<char32_t, 256> kCharacters = make_characters();

// The byte of each character up to the last one of kCharacters; -1: none.
constexpr std::array<int16_t, 0x144> make_bytes() {
  std::array<int16_t, 0x144> bytes{};
  bytes.fill(-1);
  for (int16_t byte = 0; byte < 256; ++byte) bytes[kCharacters[static_cast<size_t>(byte)]] = byte;
  return bytes;
}

constexpr std::array<int16_t, 0x144> kBytes = make_bytes();

}  // namespace

char32_t byte_level_character(unsigned char byte) {
  return kCharacters[byte];
}

std::optional<unsigned char> byte_of_character(char32_t c) {
  if (c >= kBytes.size() || kBytes[c] < 0) return std::nullopt;
  return static_cast<unsigned char>(kBytes[c]);
}

void map_to_byte_level(NormalizedString& text) {
  std::vector<Change> changes;
  changes.reserve(text.text().size());
  for (const char byte : text.text()) {
    changes.push_back({byte_level_character(static_cast<unsigned char>(byte)),
                       text::is_utf8_continuation(byte) ? 1 : 0});
  }
  text.transform(changes, 0);
}

std::optional<std::string> bytes_of_byte_level(std::string_view text) {
  std::string bytes;
  for (size_t position = 0; position < text.size();) {
    const auto byte = byte_of_character(text::next_code_point(text, position));
    if (!byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

}  // namespace palimpsest::tokenizer
