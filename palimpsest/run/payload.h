// How results of a model lie in a journal: numbers as 8 bytes, lowest first, so that they come back
// bit by bit. Reading takes any bytes and says whether they were such results.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/model/language_model.h"

namespace palimpsest {

void put_number(std::string& out, uint64_t number);

// Takes apart what was put together; false once the bytes do not suffice.
class PayloadReader {
 public:
  explicit PayloadReader(std::string_view bytes) : bytes_(bytes) {}

  bool get(uint64_t& number);
  // A count, then as many numbers.
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
  bool take(uint64_t count, std::string_view& part);
  size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

std::string to_payload(const std::vector<SequenceScores>& scores);
std::string to_payload(const std::vector<Generation>& generations);

bool from_payload(std::string_view payload, std::vector<SequenceScores>& scores);
bool from_payload(std::string_view payload, std::vector<Generation>& generations);

}  // namespace palimpsest
