// The safetensors format. A file has eight bytes with the length of the header (little-endian),
// then the header (a JSON object: name → dtype, shape, data_offsets), then the bytes of the tensors
// without gaps.
//
// The parser trusts nothing: it checks every length, shape and offset before it makes a view, and
// allocates at most a few times the size of the header. As in the reference implementation, the
// tensors must fill the file without gaps or overlaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace palimpsest {

// A tensor as the header declares it.
struct SafetensorsEntry {
  std::string name;   // no control characters
  std::string dtype;  // as in the file: "F32", "BF16", "U8" …; may be unknown to DType
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;  // within the file, without guaranteed alignment
  // Other names of this tensor. safetensors' save_model() stores one of several tied matrices, and
  // notes the names of the others in __metadata__.
  std::vector<std::string> aliases = {};
};

// The largest header that is accepted, as in the reference implementation.
constexpr int64_t kMaxSafetensorsHeader = 100'000'000;

// Returns the tensors in the order of their bytes. Of __metadata__, only aliases are read. Throws
// Error if the file is malformed; the message begins with `where`. If a tensor's dtype is unknown,
// the number of its bytes is not compared with its shape.
std::vector<SafetensorsEntry> parse_safetensors(std::span<const std::byte> file,
                                                const std::string& where);

// The strings in __metadata__, by name. Values of other types are left out. Throws Error if the
// header is malformed. The shapes and offsets of the tensors are not checked.
std::map<std::string, std::string> safetensors_metadata(std::span<const std::byte> file,
                                                        const std::string& where);

}  // namespace palimpsest
