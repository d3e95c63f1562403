// Any bytes as a safetensors file, and as the index of a sharded checkpoint: read or refused with an
// Error; what is read lies within the file, back to back.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/model/checkpoint_files.h"
#include "palimpsest/model/safetensors.h"

namespace palimpsest {
namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void read_file(std::span<const std::byte> file) {
  std::vector<SafetensorsEntry> entries;
  try {
    entries = parse_safetensors(file, "fuzz");
  } catch (const Error&) {
    return;
  }
  if (entries.empty()) return;
  const std::byte* position = entries.front().bytes.data();
  check(position >= file.data());
  for (const SafetensorsEntry& entry : entries) {
    check(entry.bytes.data() == position);
    position += entry.bytes.size();
    for (const int64_t extent : entry.shape) check(extent >= 0);
  }
  check(position == file.data() + file.size());
}

void read_index(std::string_view text) {
  try {
    for (const auto& [tensor, shard] : parse_weight_map(text, "fuzz")) {
      check(shard.find('/') == std::string::npos && !shard.starts_with(".."));
    }
  } catch (const Error&) {
    // The expected end of most inputs.
  }
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  palimpsest::read_file(std::as_bytes(std::span(data, size)));
  palimpsest::read_index({reinterpret_cast<const char*>(data), size});
  return 0;
}
