// The safetensors format: eight bytes that give the header's length (little-endian), the header (a
// JSON object: name → dtype, shape, data_offsets), then the tensors' bytes back to back.
//
// Parsing is pure and trusts nothing: every length, shape and offset is checked before a view is
// made from it, and nothing larger than a few times the header is allocated. As in the reference
// implementation, the tensors must fill the file without gaps or overlaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace palimpsest::model {

// A tensor as the header declares it.
struct SafetensorsEntry {
  std::string name;   // no control characters
  std::string dtype;  // as the file spells it: "F32", "BF16", "U8" …; may be one we do not know
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;  // within the file, without guaranteed alignment
};

// A longer header is refused, as in the reference implementation.
constexpr int64_t kMaxSafetensorsHeader = 100'000'000;

// The tensors in the order of their bytes; __metadata__ is skipped. Throws Error; the message
// begins with `where`. The bytes of a tensor whose dtype is unknown are not checked against its
// shape.
std::vector<SafetensorsEntry> parse_safetensors(std::span<const std::byte> file,
                                                const std::string& where);

}  // namespace palimpsest::model
