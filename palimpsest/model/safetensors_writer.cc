#include "palimpsest/model/internal/safetensors_writer.h"

#include <bit>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/checked.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"

namespace palimpsest::model {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr size_t kAlignment = 8;

// The header, filled up with spaces so that the tensors begin at a multiple of eight bytes.
std::string header_of(std::span<const FloatTensor> tensors) {
  // transformers asks for the format in which the weights were saved.
  Json header = {{"__metadata__", {{"format", "pt"}}}};
  size_t end = 0;
  for (const FloatTensor& tensor : tensors) {
    size_t count = 1;
    for (const int64_t extent : tensor.shape)
      count = checked_mul(count, static_cast<size_t>(extent));
    PALIMPSEST_CHECK(count == tensor.values.size() && !header.contains(tensor.name));
    const size_t begin = end;
    end = checked_add(begin, tensor.values.size_bytes());
    header[tensor.name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::span<const FloatTensor> tensors) {
  const std::string header = header_of(tensors);
  std::string length;
  for (size_t i = 0; i < sizeof(uint64_t); ++i) {
    length += static_cast<char>(uint64_t{header.size()} >> (8 * i) & 0xff);
  }
  AtomicFile file(path);
  file.write(length);
  file.write(header);
  for (const FloatTensor& tensor : tensors) {
    file.write({reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size_bytes()});
  }
  file.commit();
}

}  // namespace palimpsest::model
