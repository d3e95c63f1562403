// Any bytes as a safetensors file, and as the index of a sharded checkpoint: read or refused with
// an Error; what is read lies within the file, back to back.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/safetensors_input.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/safetensors.h"
#include "palimpsest/model/internal/checkpoint_files.h"

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

// The input with the right length put before it, up to the last brace: most inputs have a wrong
// one.
std::string with_length(std::string_view input) {
  const size_t brace = input.rfind('}');
  return with_header_length(input, brace == std::string_view::npos ? input.size() : brace + 1);
}

void read_index(std::string_view text) {
  try {
    for (const auto& [tensor, shard] : model::parse_weight_map(text, "fuzz")) {
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
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string file = palimpsest::with_length(text);
  palimpsest::read_file(std::as_bytes(std::span(file)));
  palimpsest::read_index(text);
  return 0;
}
