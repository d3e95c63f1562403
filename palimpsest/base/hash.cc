#include "palimpsest/base/internal/hash.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/input_stream.h"

namespace palimpsest {
namespace {

// Both halves of a full product, folded: every bit of the input reaches every bit of the result.
uint64_t fold(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64U);
}

}  // namespace

void Fingerprint::mix_word(uint64_t word) {
  low_ = fold(low_ ^ word, 0xA0761D6478BD642FU);
  high_ = fold(high_ + word, 0xE7037ED1A0B428DBU) ^ (high_ << 1U | high_ >> 63U);
}

void Fingerprint::mix(std::string_view bytes) {
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    mix_word(word);
  }
  uint64_t rest = 0;
  if (i < bytes.size()) std::memcpy(&rest, bytes.data() + i, bytes.size() - i);
  mix_word(rest ^ static_cast<uint64_t>(bytes.size()) << 56U);
}

Fingerprint& Fingerprint::add(std::string_view bytes) {
  mix(bytes);
  mix_word(bytes.size());
  return *this;
}

Fingerprint& Fingerprint::add(int64_t number) {
  mix_word(static_cast<uint64_t>(number));
  mix_word(sizeof number);
  return *this;
}

Fingerprint& Fingerprint::add_all(std::span<const int64_t> numbers) {
  return add({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

Fingerprint& Fingerprint::add_file(const std::filesystem::path& path) {
  require_plain_file(path);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail_to_open(path, errno);
  std::vector<char> buffer(size_t{1} << 20);
  uint64_t size = 0;
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto got = static_cast<size_t>(file.gcount());
    if (got > 0) mix({buffer.data(), got});
    size += got;
  }
  if (file.bad()) throw SystemError(path.string() + ": reading failed");
  mix_word(size);
  return *this;
}

std::string Fingerprint::hex() const {
  return fmt::format("{:016x}{:016x}", fold(low_, 0x8EBC6AF09C88C6E3U ^ high_),
                     fold(high_, 0x589965CC75374CC3U ^ low_));
}

}  // namespace palimpsest
