// A fast 128-bit fingerprint of bytes: tells changed inputs from unchanged ones. It guards against
// accidents, not against somebody who looks for a collision.
//
//   Fingerprint fingerprint;
//   fingerprint.add("config").add(bytes);
//   fingerprint.hex();   // 32 characters
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace palimpsest {

class Fingerprint {
 public:
  // Each call is a piece of its own: ("ab", "c") and ("a", "bc") differ.
  Fingerprint& add(std::string_view bytes);
  Fingerprint& add(int64_t number);
  // All of them as one piece.
  Fingerprint& add_all(std::span<const int64_t> numbers);
  // The contents of a file. Throws Error if it cannot be read.
  Fingerprint& add_file(const std::filesystem::path& path);

  std::string hex() const;

 private:
  void mix(std::string_view bytes);
  void mix_word(uint64_t word);

  uint64_t low_ = 0x9E3779B97F4A7C15U;
  uint64_t high_ = 0xD1B54A32D192ED03U;
};

}  // namespace palimpsest
