// SHA-256 of texts and files, computed by OpenSSL's libcrypto, which uses the processor's own
// instructions for it where there are any. It identifies the files of an evidence pack. For quick
// comparisons within one run there is Fingerprint (hash.h).
//
//   sha256_of("abc")                     // "ba7816bf…", 64 hexadecimal digits
//   FileHashes(cache).sha256(weights)    // the second call only looks at the file's size and times
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>

#include "palimpsest/base/progress.h"

namespace palimpsest {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  Sha256& add(std::string_view bytes);
  // The hash of everything that was added. May be called once.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_of(std::string_view bytes);

struct FileHashOptions {
  std::stop_token stop = {};     // checked for every MiB; throws Stopped
  Progress* progress = nullptr;  // advanced by the bytes that were read
};

// Reads the file in pieces, so that it may be larger than the memory. Throws Error if it cannot be
// read, and SystemError if reading fails.
std::string sha256_of_file(const std::filesystem::path& file, const FileHashOptions& options = {});

// Remembers the hashes of large files in a file of its own, so that a model of many gigabytes is
// read once and not for every audit. A hash is used again only if device, inode, size, time of
// change and time of modification are all the same. It is not kept if the file was changed only
// just now, because a second change in the same moment might go unnoticed. Small files are always
// read. A cache that cannot be read or written is no failure: then files are read again.
class FileHashes {
 public:
  // Files that were changed less than this long ago are not kept.
  static constexpr std::chrono::nanoseconds kLeastAge = std::chrono::seconds(3);

  // `cache` is the file of kept hashes. Its folder is made when it is needed. If `cache` is empty,
  // nothing is kept.
  explicit FileHashes(std::filesystem::path cache = {},
                      std::chrono::nanoseconds least_age = kLeastAge)
      : cache_(std::move(cache)), least_age_(least_age) {}

  // As sha256_of_file().
  std::string sha256(const std::filesystem::path& file, const FileHashOptions& options = {});

  // Files from this size on are kept.
  static constexpr int64_t kLeastKept = int64_t{8} << 20;

 private:
  using Key = std::tuple<uint64_t, uint64_t, int64_t, int64_t, int64_t>;
  void load();
  void save() const;

  std::filesystem::path cache_;
  std::chrono::nanoseconds least_age_;
  bool loaded_ = false;
  std::map<Key, std::string> known_;
};

}  // namespace palimpsest
