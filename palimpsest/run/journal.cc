#include "palimpsest/run/internal/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/run/internal/payload.h"

namespace palimpsest::run {
namespace {

// The file: kMagic, the fingerprint, then entries of {size of number and payload, CRC-32 of these,
// number, payload}, numbers as 8 bytes, lowest first.
constexpr std::string_view kMagicName = "palimpsest journal ";
constexpr int64_t kJournalVersion = 2;
constexpr std::string_view kMagic = "palimpsest journal 2\n";
constexpr size_t kFingerprint = 32;
constexpr int64_t kNumber = 8;  // bytes

uLong checksum(uLong sum, std::string_view bytes) {
  if (bytes.empty()) return sum;  // zlib takes no bytes at no address for a new beginning
  return crc32_z(sum, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw SystemError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

// A journal of a newer version may hold hours of work: it is not started anew.
void require_known_version(std::string_view bytes, const std::filesystem::path& path) {
  if (!bytes.starts_with(kMagicName)) return;
  const std::string_view stated = bytes.substr(kMagicName.size());
  const std::string_view version = stated.substr(0, stated.find('\n'));
  int64_t number = 0;
  const auto [end, failure] =
      std::from_chars(version.data(), version.data() + version.size(), number);
  if (failure != std::errc() || number <= kJournalVersion) return;
  throw Error({.what = "this journal is of a newer version",
               .where = path.string(),
               .expected = fmt::format("at most version {}", kJournalVersion),
               .found = std::string(version),
               .hint = "finish the run with the version of palimpsest that began it, or remove the "
                       "journal to start over"});
}

}  // namespace

Journal::Journal(const std::filesystem::path& path, const std::string& fingerprint)
    : path_(path), fingerprint_(fingerprint) {
  PALIMPSEST_CHECK(fingerprint.size() == kFingerprint);
  // A link of this name could lead to any file, which would be overwritten.
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file_ < 0) fail(path, "the journal cannot be opened");
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    ::close(file_);
    throw Error({.what = "another run is writing to this folder",
                 .where = path.parent_path().string(),
                 .hint = "wait for it, or give this run a folder of its own"});
  }
  try {
    std::string found;
    if (read_head(found) && found == fingerprint_) {
      find_entries();
      // What was being written when the run ended is cut off.
      if (end_ < file_size() && ::ftruncate(file_, end_) != 0)
        fail(path_, "the journal cannot be written");
    } else {
      restart();
    }
  } catch (...) {
    ::close(file_);
    throw;
  }
}

std::unique_ptr<Journal> Journal::open_to_read(const std::filesystem::path& path) {
  std::unique_ptr<Journal> journal(new Journal());
  journal->path_ = path;
  journal->is_writable_ = false;
  // A pipe of this name would make us wait.
  journal->file_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (journal->file_ < 0) fail(path, "the journal cannot be opened");
  if (!journal->read_head(journal->fingerprint_)) return nullptr;
  journal->find_entries();
  return journal;
}

Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

std::vector<int64_t> Journal::batches() const {
  std::vector<int64_t> numbers;
  for (const auto& [number, entry] : entries_) numbers.push_back(number);
  return numbers;
}

int64_t Journal::file_size() const {
  struct stat status = {};
  if (::fstat(file_, &status) != 0) fail(path_, "the journal cannot be read");
  return status.st_size;
}

// False where the file ends before.
bool Journal::read_at(int64_t offset, char* bytes, int64_t count) const {
  while (count > 0) {
    const ssize_t got = ::pread(file_, bytes, static_cast<size_t>(count), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, "the journal cannot be read");
    if (got == 0) return false;
    bytes += got;
    offset += got;
    count -= got;
  }
  return true;
}

// False where the file does not begin as a journal of this version does.
bool Journal::read_head(std::string& fingerprint) const {
  std::string found(kMagic.size() + kFingerprint, '\0');
  const bool is_whole = read_at(0, found.data(), std::ssize(found));
  require_known_version(found, path_);
  if (!is_whole || !found.starts_with(kMagic)) return false;
  fingerprint = found.substr(kMagic.size());
  return true;
}

void Journal::find_entries() {
  end_ = static_cast<int64_t>(kMagic.size() + kFingerprint);
  const int64_t size = file_size();
  while (find_entry(size)) {
  }
}

// The entry at end_, if it is whole.
bool Journal::find_entry(int64_t limit) {
  std::string head(3 * kNumber, '\0');
  if (!read_at(end_, head.data(), std::ssize(head))) return false;
  PayloadReader reader(head);
  uint64_t size = 0;
  uint64_t sum = 0;
  uint64_t number = 0;
  reader.get(size);
  reader.get(sum);
  reader.get(number);
  const int64_t begin = end_ + 2 * kNumber;
  if (size < kNumber || size > static_cast<uint64_t>(limit - begin)) return false;
  const auto bytes = static_cast<int64_t>(size);
  std::string block(static_cast<size_t>(std::min(bytes, int64_t{1} << 20)), '\0');
  uLong found = 0;
  for (int64_t at = 0; at < bytes; at += std::ssize(block)) {
    block.resize(static_cast<size_t>(std::min(bytes - at, std::ssize(block))));
    if (!read_at(begin + at, block.data(), std::ssize(block))) return false;
    found = checksum(found, block);
  }
  if (found != sum) return false;
  entries_[static_cast<int64_t>(number)] = {.offset = begin + kNumber, .size = bytes - kNumber};
  end_ = begin + bytes;
  return true;
}

std::string Journal::read(int64_t batch) const {
  const auto found = entries_.find(batch);
  PALIMPSEST_CHECK(found != entries_.end());
  std::string payload(static_cast<size_t>(found->second.size), '\0');
  if (!read_at(found->second.offset, payload.data(), found->second.size)) {
    throw SystemError(fmt::format("{}: the journal became shorter", path_.string()));
  }
  return payload;
}

void Journal::restart() {
  if (::ftruncate(file_, 0) != 0) fail(path_, "the journal cannot be written");
  end_ = 0;
  append(std::string(kMagic) + fingerprint_);
}

void Journal::append(std::string_view bytes) {
  for (std::string_view left = bytes; !left.empty();) {
    const auto offset = end_ + std::ssize(bytes) - std::ssize(left);
    const ssize_t written = ::pwrite(file_, left.data(), left.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path_, "the journal cannot be written");
    left.remove_prefix(static_cast<size_t>(written));
  }
  if (::fdatasync(file_) != 0) fail(path_, "the journal cannot be written");
  end_ += std::ssize(bytes);
}

void Journal::commit(int64_t batch, std::string_view payload) {
  PALIMPSEST_CHECK(is_writable_);
  std::string number;
  put_number(number, static_cast<uint64_t>(batch));
  std::string entry;
  entry.reserve(3 * kNumber + payload.size());
  put_number(entry, number.size() + payload.size());
  put_number(entry, checksum(checksum(0, number), payload));
  entry += number;
  entry += payload;
  const int64_t offset = end_ + 3 * kNumber;
  append(entry);
  entries_[batch] = {.offset = offset, .size = std::ssize(payload)};
}

LazyJournal::LazyJournal(std::filesystem::path folder, std::string fingerprint,
                         const std::string& name)
    : folder_(std::move(folder)), fingerprint_(std::move(fingerprint)) {
  file_ = folder_ / (name.empty() ? fmt::format("{}.journal", fingerprint_.substr(0, 16)) : name);
  if (!folder_.empty() && std::filesystem::exists(file_)) {
    journal_ = std::make_unique<Journal>(file_, fingerprint_);
  }
}

bool LazyJournal::has(int64_t batch) const {
  return journal_ ? journal_->has(batch) : kept_.contains(batch);
}

std::string LazyJournal::read(int64_t batch) const {
  PALIMPSEST_CHECK(has(batch));
  return journal_ ? journal_->read(batch) : kept_.at(batch);
}

std::string LazyJournal::take(int64_t batch) {
  if (journal_) return read(batch);
  PALIMPSEST_CHECK(has(batch));
  return std::move(kept_.extract(batch).mapped());
}

void LazyJournal::commit(int64_t batch, std::string payload) {
  if (folder_.empty()) {
    kept_[batch] = std::move(payload);
    return;
  }
  if (!journal_) {
    make_folder(folder_);
    journal_ = std::make_unique<Journal>(file_, fingerprint_);
  }
  journal_->commit(batch, payload);
}

std::filesystem::path journal_folder(const std::filesystem::path& result) {
  return without_last_slash(result).string() + ".run";
}

void remove_journals(const std::filesystem::path& result) {
  std::error_code ignored;  // they are in nobody's way
  std::filesystem::remove_all(journal_folder(result), ignored);
}

}  // namespace palimpsest::run
