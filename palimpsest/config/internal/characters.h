// Classes and lower case of ASCII characters, as the grammars of configurations use them. Bytes of
// longer UTF-8 sequences belong to neither class and stay as they are.
#pragma once

#include <string>

namespace palimpsest::config {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string lower(std::string text) {
  for (char& c : text) c = lower(c);
  return text;
}

}  // namespace palimpsest::config
