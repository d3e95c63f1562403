#include "palimpsest/base/internal/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/input_stream.h"

namespace palimpsest {
namespace {

class Descriptor {
 public:
  // Without O_NONBLOCK opening a pipe would wait for its writer.
  explicit Descriptor(const std::filesystem::path& path)
      : value_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int value() const { return value_; }

 private:
  int value_;
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const Descriptor file(path);
  struct stat status = {};
  if (file.value() < 0 || ::fstat(file.value(), &status) != 0) fail_to_open(path, errno);
  if (S_ISDIR(status.st_mode)) {
    throw Error({.what = "this is a folder, not a file", .where = path.string()});
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error({.what = "this is not a plain file", .where = path.string()});
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return;  // nothing can be mapped
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.value(), 0);
  if (start == MAP_FAILED) {
    throw SystemError(fmt::format("{}: the file cannot be mapped into memory: {}", path.string(),
                                  std::strerror(errno)));
  }
  // Weights are read from front to back: reading ahead is what makes loading run at disk speed.
  ::madvise(start, size, MADV_SEQUENTIAL);
  bytes_ = {static_cast<const std::byte*>(start), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::release(std::span<const std::byte> part) const {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto base = reinterpret_cast<uintptr_t>(bytes_.data());
  const auto start = reinterpret_cast<uintptr_t>(part.data());
  if (part.empty() || start < base || part.size() > bytes_.size() ||
      start - base > bytes_.size() - part.size()) {
    return;
  }
  // Pages that a neighbour shares stay.
  const uintptr_t first = (start + page - 1) / page * page;
  const uintptr_t last = (start + part.size()) / page * page;
  if (first >= last) return;
  auto* const address = const_cast<std::byte*>(bytes_.data() + (first - base));
#ifdef MADV_COLD
  ::madvise(address, last - first, MADV_COLD);
#endif
  ::madvise(address, last - first, MADV_DONTNEED);
}

}  // namespace palimpsest
