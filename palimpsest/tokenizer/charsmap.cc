#include "palimpsest/tokenizer/internal/charsmap.h"

#include "palimpsest/base/error.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::tokenizer {
namespace {

const Error& not_a_map() {
  static const Error error("'precompiled_charsmap' is not a character map in base64");
  return error;
}

int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

std::string decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) throw not_a_map();
  size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = base64_value(c);
    if (value < 0) throw not_a_map();
    bits = (bits << 6) | static_cast<uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>((bits >> count) & 0xFF);
    }
  }
  return bytes;
}

uint32_t little_endian(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

// The fields of a unit of the double array.
bool has_leaf(uint32_t unit) {
  return ((unit >> 8) & 1) != 0;
}
uint32_t leaf_value(uint32_t unit) {
  return unit & 0x7FFFFFFF;
}
uint32_t label(uint32_t unit) {
  return unit & 0x800000FF;
}
uint32_t offset(uint32_t unit) {
  return (unit >> 10) << ((unit & 0x200) >> 6);
}

}  // namespace

Charsmap Charsmap::from_base64(std::string_view text) {
  const std::string bytes = decode_base64(text);
  if (bytes.size() < 4) throw not_a_map();
  const size_t units = little_endian(bytes, 0) / 4;
  if (units == 0 || units > (bytes.size() - 4) / 4) throw not_a_map();
  Charsmap map;
  map.trie_.resize(units);
  for (size_t i = 0; i < units; ++i) map.trie_[i] = little_endian(bytes, 4 + 4 * i);
  map.replacements_ = bytes.substr(4 + 4 * units);
  if (text::find_invalid_utf8(map.replacements_)) throw not_a_map();
  return map;
}

std::optional<std::string_view> Charsmap::transform(std::string_view chunk) const {
  size_t node = offset(trie_[0]);
  for (const char c : chunk) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) break;
    node ^= byte;
    if (node >= trie_.size() || label(trie_[node]) != byte) break;
    const uint32_t unit = trie_[node];
    node ^= offset(unit);
    if (!has_leaf(unit)) continue;
    if (node >= trie_.size()) break;
    const size_t begin = leaf_value(trie_[node]);
    if (begin > replacements_.size() ||
        (begin < replacements_.size() && text::is_utf8_continuation(replacements_[begin]))) {
      break;
    }
    const std::string_view rest = std::string_view(replacements_).substr(begin);
    return rest.substr(0, rest.find('\0'));
  }
  return std::nullopt;
}

}  // namespace palimpsest::tokenizer
