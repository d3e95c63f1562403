// A fast 128-bit hash of bytes, called a fingerprint here. It detects changed inputs. It protects
// against accidents, but not against an attacker who searches for a collision.
//
//   Fingerprint fingerprint;
//   fingerprint.add("config").add(bytes);
//   fingerprint.hex();   // 32 characters
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace palimpsest {

class Fingerprint {
 public:
  // Each call adds a separate piece: adding "ab" and "c" differs from adding "a" and "bc".
  Fingerprint& add(std::string_view bytes);
  Fingerprint& add(int64_t number);
  // Adds all numbers as one piece.
  Fingerprint& add_all(std::span<const int64_t> numbers);
  // Adds the contents of a file. Throws Error if it cannot be read.
  Fingerprint& add_file(const std::filesystem::path& path);

  std::array<uint64_t, 2> value() const { return {high_, low_}; }
  // The fingerprint as 32 hexadecimal digits.
  std::string hex() const;

 private:
  void mix(std::string_view bytes);
  void mix_word(uint64_t word);

  uint64_t low_ = 0x9E3779B97F4A7C15U;
  uint64_t high_ = 0xD1B54A32D192ED03U;
};

}  // namespace palimpsest
