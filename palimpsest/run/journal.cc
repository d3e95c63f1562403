#include "palimpsest/run/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/run/payload.h"

namespace palimpsest {
namespace {

// The file: kMagic, the fingerprint, then entries of {size of number and payload, CRC-32 of these,
// number, payload}, numbers as 8 bytes, lowest first.
constexpr std::string_view kMagicName = "palimpsest journal ";
constexpr int64_t kJournalVersion = 2;
constexpr std::string_view kMagic = "palimpsest journal 2\n";
constexpr size_t kFingerprint = 32;

uint64_t checksum(std::string_view bytes) {
  return crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
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
                       "journal to begin anew"});
}

}  // namespace

Journal::Journal(const std::filesystem::path& path, const std::string& fingerprint) : path_(path) {
  PALIMPSEST_CHECK(fingerprint.size() == kFingerprint);
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) fail(path, "the journal cannot be opened");
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    ::close(file_);
    throw Error({.what = "another run is writing to this folder",
                 .where = path.parent_path().string(),
                 .hint = "wait for it, or give this run a folder of its own"});
  }
  try {
    read_all(fingerprint);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

Journal::~Journal() {
  ::close(file_);
}

void Journal::read_all(const std::string& fingerprint) {
  std::string bytes;
  std::string block(size_t{1} << 20, '\0');
  for (ssize_t got; (got = ::read(file_, block.data(), block.size())) != 0;) {
    if (got < 0) fail(path_, "the journal cannot be read");
    bytes.append(block, 0, static_cast<size_t>(got));
  }
  const std::string head = std::string(kMagic) + fingerprint;
  require_known_version(bytes, path_);
  if (!bytes.starts_with(head)) return start_anew(fingerprint);
  PayloadReader reader(std::string_view(bytes).substr(head.size()));
  size_t good = head.size();
  while (true) {
    uint64_t size = 0;
    uint64_t sum = 0;
    std::string_view entry;
    if (!reader.get(size) || !reader.get(sum) || !reader.take(size, entry) ||
        checksum(entry) != sum) {
      break;
    }
    uint64_t number = 0;
    PayloadReader parts(entry);
    if (!parts.get(number)) break;
    good += 16 + entry.size();
    batches_[static_cast<int64_t>(number)] = entry.substr(8);
  }
  // What was being written when the run ended is cut off.
  if (good < bytes.size() && ::ftruncate(file_, static_cast<off_t>(good)) != 0) {
    fail(path_, "the journal cannot be written");
  }
  if (::lseek(file_, static_cast<off_t>(good), SEEK_SET) < 0) {
    fail(path_, "the journal cannot be written");
  }
}

void Journal::start_anew(const std::string& fingerprint) {
  if (::ftruncate(file_, 0) != 0 || ::lseek(file_, 0, SEEK_SET) < 0) {
    fail(path_, "the journal cannot be written");
  }
  write(std::string(kMagic) + fingerprint);
}

void Journal::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path_, "the journal cannot be written");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  if (::fdatasync(file_) != 0) fail(path_, "the journal cannot be written");
}

void Journal::commit(int64_t batch, std::string payload) {
  std::string entry;
  put_number(entry, static_cast<uint64_t>(batch));
  entry += payload;
  std::string head;
  put_number(head, entry.size());
  put_number(head, checksum(entry));
  write(head + entry);
  batches_[batch] = std::move(payload);
}

LazyJournal::LazyJournal(std::filesystem::path folder, std::string fingerprint)
    : folder_(std::move(folder)),
      fingerprint_(std::move(fingerprint)),
      file_(folder_ / fmt::format("{}.journal", fingerprint_.substr(0, 16))) {
  if (std::filesystem::exists(file_)) journal_ = std::make_unique<Journal>(file_, fingerprint_);
}

const std::string* LazyJournal::find(int64_t batch) const {
  if (!journal_) return nullptr;
  const auto found = journal_->batches().find(batch);
  return found == journal_->batches().end() ? nullptr : &found->second;
}

void LazyJournal::commit(int64_t batch, std::string payload) {
  if (!journal_) {
    make_folder(folder_);
    journal_ = std::make_unique<Journal>(file_, fingerprint_);
  }
  journal_->commit(batch, std::move(payload));
}

}  // namespace palimpsest
