#include "palimpsest/run/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>

#include "palimpsest/base/error.h"

namespace palimpsest {
namespace {

// The file: kMagic, the fingerprint, then entries of {payload size, CRC-32 of the payload, payload},
// numbers as 8 bytes, lowest first.
constexpr std::string_view kMagic = "palimpsest journal 1\n";
constexpr size_t kFingerprint = 32;

void put(std::string& out, uint64_t word) {
  for (int i = 0; i < 8; ++i) out += static_cast<char>(word >> (8 * i) & 0xffU);
}

template <class T>
void put_all(std::string& out, const std::vector<T>& values) {
  static_assert(sizeof(T) == 8);
  put(out, values.size());
  for (const T& value : values) put(out, std::bit_cast<uint64_t>(value));
}

// Reads what put() wrote; false once the bytes do not suffice.
class Words {
 public:
  explicit Words(std::string_view bytes) : bytes_(bytes) {}

  bool get(uint64_t& word) {
    if (bytes_.size() < 8) return false;
    word = 0;
    for (int i = 0; i < 8; ++i) {
      word |= uint64_t{static_cast<unsigned char>(bytes_[static_cast<size_t>(i)])} << (8 * i);
    }
    bytes_.remove_prefix(8);
    return true;
  }

  template <class T>
  bool get_all(std::vector<T>& values) {
    uint64_t count = 0;
    if (!get(count) || count > bytes_.size() / 8) return false;
    values.resize(count);
    for (T& value : values) {
      uint64_t word = 0;
      get(word);
      value = std::bit_cast<T>(word);
    }
    return true;
  }

  bool take(uint64_t count, std::string_view& part) {
    if (count > bytes_.size()) return false;
    part = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return true;
  }

  size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

uint64_t checksum(std::string_view bytes) {
  return crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

std::string to_payload(int64_t batch, const std::vector<SequenceScores>& scores) {
  std::string out;
  put(out, static_cast<uint64_t>(batch));
  put(out, scores.size());
  for (const SequenceScores& one : scores) {
    put_all(out, one.logprob);
    put_all(out, one.mean);
    put_all(out, one.var);
    put_all(out, one.argmax);
    put(out, one.gradient_norms.size());
    for (const std::vector<double>& norms : one.gradient_norms) put_all(out, norms);
  }
  return out;
}

bool from_payload(std::string_view payload, int64_t& batch, std::vector<SequenceScores>& scores) {
  Words words(payload);
  uint64_t number = 0;
  uint64_t count = 0;
  if (!words.get(number) || !words.get(count) || count > payload.size()) return false;
  batch = static_cast<int64_t>(number);
  scores.resize(count);
  for (SequenceScores& one : scores) {
    uint64_t orders = 0;
    if (!words.get_all(one.logprob) || !words.get_all(one.mean) || !words.get_all(one.var) ||
        !words.get_all(one.argmax) || !words.get(orders) || orders > 3) {
      return false;
    }
    one.gradient_norms.resize(orders);
    for (std::vector<double>& norms : one.gradient_norms) {
      if (!words.get_all(norms)) return false;
    }
  }
  return words.left() == 0;
}

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw SystemError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
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
  if (!bytes.starts_with(head)) return start_anew(fingerprint);
  Words words(std::string_view(bytes).substr(head.size()));
  size_t good = head.size();
  while (true) {
    uint64_t size = 0;
    uint64_t sum = 0;
    std::string_view payload;
    int64_t batch = 0;
    std::vector<SequenceScores> scores;
    if (!words.get(size) || !words.get(sum) || !words.take(size, payload) ||
        checksum(payload) != sum || !from_payload(payload, batch, scores)) {
      break;
    }
    good += 16 + payload.size();
    batches_[batch] = std::move(scores);
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

void Journal::write(const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::write(file_, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path_, "the journal cannot be written");
    done += static_cast<size_t>(written);
  }
  if (::fdatasync(file_) != 0) fail(path_, "the journal cannot be written");
}

void Journal::commit(int64_t batch, std::vector<SequenceScores> scores) {
  const std::string payload = to_payload(batch, scores);
  std::string entry;
  put(entry, payload.size());
  put(entry, checksum(payload));
  write(entry + payload);
  batches_[batch] = std::move(scores);
}

}  // namespace palimpsest
