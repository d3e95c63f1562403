// The functions of libcrypto that are used here need nothing else of it: a static program gets a
// few kilobytes. Those that replace them would load modules at run time, which such a program
// cannot.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "palimpsest/base/internal/sha256.h"

#include <fmt/format.h>
#include <openssl/sha.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <system_error>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/input_stream.h"

namespace palimpsest {

struct Sha256::State {
  SHA256_CTX context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  SHA256_Init(&state_->context);
}

Sha256::~Sha256() = default;

Sha256& Sha256::add(std::string_view bytes) {
  SHA256_Update(&state_->context, bytes.data(), bytes.size());
  return *this;
}

std::string Sha256::hex() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256_Final(digest.data(), &state_->context);
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::string sha256_of(std::string_view bytes) {
  return Sha256().add(bytes).hex();
}

std::string sha256_of_file(const std::filesystem::path& file, const FileHashOptions& options) {
  PlainInput input(file, LineReader::Source::kPlainFile);
  Sha256 hash;
  std::vector<char> buffer(size_t{1} << 20);
  while (const size_t got = input.read(buffer.data(), buffer.size())) {
    if (options.stop.stop_requested()) throw Stopped();
    hash.add({buffer.data(), got});
    if (options.progress != nullptr) options.progress->advance(static_cast<int64_t>(got));
  }
  return hash.hex();
}

namespace {

constexpr std::string_view kHashCacheHeading = "palimpsest sha256 1";
constexpr size_t kMaxKeptHashes = 10'000;

int64_t nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

using HashKey = std::tuple<uint64_t, uint64_t, int64_t, int64_t, int64_t>;

std::optional<HashKey> hash_key(const std::filesystem::path& file) {
  struct stat facts = {};
  if (::stat(file.c_str(), &facts) != 0) return std::nullopt;
  return HashKey{facts.st_dev, facts.st_ino, facts.st_size, nanoseconds(facts.st_mtim),
                 nanoseconds(facts.st_ctim)};
}

std::chrono::nanoseconds age_of(const HashKey& key) {
  const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
  return now - std::chrono::nanoseconds(std::max(std::get<3>(key), std::get<4>(key)));
}

template <class Number>
bool read_number(std::string_view& line, Number& number) {
  const auto [end, code] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (code != std::errc() || end == line.data() + line.size() || *end != ' ') return false;
  line.remove_prefix(static_cast<size_t>(end - line.data()) + 1);
  return true;
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

void FileHashes::load() {
  if (loaded_ || cache_.empty()) return;
  loaded_ = true;
  try {
    LineReader reader(cache_);
    std::string line;
    if (!reader.next(line) || line != kHashCacheHeading) return;
    while (reader.next(line)) {
      std::string_view rest = line;
      Key key;
      auto& [device, inode, size, modified, changed] = key;
      if (read_number(rest, device) && read_number(rest, inode) && read_number(rest, size) &&
          read_number(rest, modified) && read_number(rest, changed) && is_sha256(rest)) {
        known_[key] = rest;
      }
    }
  } catch (const std::exception&) {
    known_.clear();  // it is read again
  }
}

void FileHashes::save() const {
  try {
    std::string text(kHashCacheHeading);
    text += '\n';
    for (const auto& [key, hash] : known_) {
      const auto& [device, inode, size, modified, changed] = key;
      text += fmt::format("{} {} {} {} {} {}\n", device, inode, size, modified, changed, hash);
    }
    make_folder(cache_.parent_path());
    write_file(cache_, text);
  } catch (const std::exception&) {  // then it is computed again
  }
}

std::string FileHashes::sha256(const std::filesystem::path& file, const FileHashOptions& options) {
  const std::optional<Key> key = hash_key(file);
  const bool is_kept = !cache_.empty() && key && std::get<2>(*key) >= kLeastKept;
  if (!is_kept) return sha256_of_file(file, options);
  load();
  if (const auto found = known_.find(*key); found != known_.end()) {
    if (options.progress != nullptr) options.progress->advance(std::get<2>(*key));
    return found->second;
  }
  std::string hash = sha256_of_file(file, options);
  if (age_of(*key) < least_age_ || hash_key(file) != key) return hash;
  if (known_.size() >= kMaxKeptHashes) known_.clear();
  known_[*key] = hash;
  save();
  return hash;
}

}  // namespace palimpsest
