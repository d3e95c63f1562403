// Classes of ASCII characters, as the grammars of configurations use them. Not for other alphabets:
// bytes of a longer UTF-8 sequence belong to neither class.
#pragma once

namespace palimpsest::config {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace palimpsest::config
