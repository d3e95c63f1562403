// Classes of ASCII characters, as the grammars of configurations use them. Bytes of longer UTF-8
// sequences belong to neither class.
#pragma once

namespace palimpsest::config {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace palimpsest::config
