// A fuzzer's input as a safetensors file: eight bytes with the length of the header, the header and
// the data. Mutations rarely hit the right length, so it is put before the header here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace palimpsest {

inline std::string with_header_length(std::string_view header_and_data, size_t length) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(uint64_t{length} >> (8 * i) & 0xff);
  return file.append(header_and_data);
}

// Where the first object of the text ends; names with braces in them are of no use to anybody.
inline size_t object_length(std::string_view text) {
  int64_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (text[i] == '}' && depth <= 0) return i + 1;
  }
  return text.size();
}

}  // namespace palimpsest
