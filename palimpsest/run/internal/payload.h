// The binary format of model results in a journal. Numbers are stored in 8 bytes, little-endian, so
// that they are read back exactly. Reading accepts any bytes and returns whether they are valid
// results.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/model/language_model.h"

namespace palimpsest::run {

// Appends a number in 8 bytes.
void put_number(std::string& out, uint64_t number);

// Reads the parts of a payload in order. The functions return false if not enough bytes are left.
class PayloadReader {
 public:
  explicit PayloadReader(std::string_view bytes) : bytes_(bytes) {}

  bool get(uint64_t& number);
  // Reads a count and then that many numbers.
  template <class T>
  bool get_all(std::vector<T>& values) {
    uint64_t count = 0;
    if (!get(count) || count > bytes_.size() / 8) return false;
    values.resize(count);
    for (T& value : values) {
      uint64_t number = 0;
      get(number);
      value = std::bit_cast<T>(number);
    }
    return true;
  }
  // Takes the next `count` bytes.
  bool take(uint64_t count, std::string_view& part);
  // The number of bytes that are left.
  size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

std::string to_payload(const std::vector<model::SequenceScores>& scores);
std::string to_payload(const std::vector<model::Generation>& generations);

// Return false if the bytes are not valid results.
bool from_payload(std::string_view payload, std::vector<model::SequenceScores>& scores);
bool from_payload(std::string_view payload, std::vector<model::Generation>& generations);

}  // namespace palimpsest::run
