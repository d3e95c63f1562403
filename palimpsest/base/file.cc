#include "palimpsest/base/internal/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/input_stream.h"
#include "palimpsest/base/internal/partial_file.h"

namespace palimpsest {
namespace {

constexpr size_t kBlock = size_t{1} << 16;

[[noreturn]] void fail_writing(const std::filesystem::path& path, int code) {
  throw SystemError(
      fmt::format("{}: the file cannot be written: {}", path.string(), std::strerror(code)), code);
}

// Some file systems cannot rename without replacing; there the check comes first.
int rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to) {
  const int renamed = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
  if (renamed == 0 || (errno != EINVAL && errno != ENOSYS)) return renamed;
  if (is_listed(to)) {
    errno = EEXIST;
    return -1;
  }
  return std::rename(from.c_str(), to.c_str());
}

}  // namespace

bool is_listed(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

std::filesystem::path without_last_slash(const std::filesystem::path& path) {
  std::string text = path.string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

void require_plain_file(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return;
  if (std::filesystem::is_directory(status)) {
    throw Error({.what = "this is a folder, not a file", .where = path.string()});
  }
  const bool is_pipe = std::filesystem::is_fifo(status);
  throw Error({.what = fmt::format("this is a {}, not a file", is_pipe ? "pipe" : "device"),
               .where = path.string(),
               .hint = is_pipe ? "write its content to a file and give that file" : ""});
}

std::string read_file(const std::filesystem::path& path) {
  PlainInput input(path, LineReader::Source::kPlainFile);
  std::string bytes;
  size_t got = 0;
  do {
    const size_t size = bytes.size();
    bytes.resize(size + kBlock);
    got = input.read(bytes.data() + size, kBlock);
    bytes.resize(size + got);
  } while (got > 0);
  return bytes;
}

LineReader::LineReader(std::filesystem::path path, Source source)
    : path_(std::move(path)), input_(InputStream::open(path_, source)) {
  refill();
  if (buffer_.starts_with("\xEF\xBB\xBF")) position_ = 3;
}

LineReader::LineReader(LineReader&& other) noexcept = default;
LineReader& LineReader::operator=(LineReader&& other) noexcept = default;
LineReader::~LineReader() = default;

bool LineReader::refill() {
  buffer_.erase(0, position_);
  position_ = 0;
  const size_t size = buffer_.size();
  buffer_.resize(size + kBlock);
  const size_t got = input_->read(buffer_.data() + size, kBlock);
  buffer_.resize(size + got);
  return got > 0;
}

bool LineReader::next(std::string& line) {
  size_t searched = position_;
  size_t end;
  while ((end = buffer_.find('\n', searched)) == std::string::npos) {
    const size_t pending = buffer_.size() - position_;
    if (static_cast<int64_t>(pending) > kMaxLine) {
      throw Error({.what = fmt::format("the line is longer than {} bytes", kMaxLine),
                   .where = fmt::format("{}:{}", path_.string(), line_number_ + 1)});
    }
    if (!refill()) {
      if (pending == 0) return false;
      end = buffer_.size();
      break;
    }
    searched = pending;
  }
  line.assign(buffer_, position_, end - position_);
  if (line.ends_with('\r')) line.pop_back();
  position_ = std::min(end + 1, buffer_.size());
  ++line_number_;
  return true;
}

std::string LineReader::where() const {
  return fmt::format("{}:{}", path_.string(), line_number_);
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  if (!is_device_or_pipe(path_)) {
    std::error_code dangling;
    if (std::filesystem::is_symlink(path_, dangling)) {
      const std::filesystem::path real = std::filesystem::canonical(path_, dangling);
      if (!dangling) path_ = real;
    }
    beside_ = partial_file_for(path_);
    const int descriptor = create_partial_file(beside_);
    if (descriptor >= 0) file_ = ::fdopen(descriptor, "wb");
  } else {
    file_ = std::fopen(path_.c_str(), "wb");
  }
  if (file_ == nullptr) fail_writing(path_, errno);
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  if (!beside_.empty()) std::filesystem::remove(beside_, ignored);
}

void AtomicFile::write(std::string_view bytes) {
  PALIMPSEST_CHECK(file_ != nullptr);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail_writing(path_, errno);
}

void AtomicFile::flush() {
  PALIMPSEST_CHECK(file_ != nullptr);
  if (std::fflush(file_) != 0) fail_writing(path_, errno);
  if (!beside_.empty() && ::fsync(::fileno(file_)) != 0) fail_writing(path_, errno);
}

// After the attempt to rename: closes the file, which keeps its lock until then, and removes what
// could not be renamed.
void AtomicFile::finish(int renamed) {
  const int code = errno;
  std::fclose(std::exchange(file_, nullptr));  // its bytes are on the disk
  if (renamed == 0) return sync_folder_of(path_);
  std::error_code ignored;
  std::filesystem::remove(beside_, ignored);
  fail_writing(path_, code);
}

void AtomicFile::commit() {
  flush();
  if (!beside_.empty()) return finish(std::rename(beside_.c_str(), path_.c_str()));
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail_writing(path_, errno);
}

bool AtomicFile::commit_new() {
  if (beside_.empty()) return false;  // a device, which exists
  flush();
  const int renamed = rename_to_new(beside_, path_);
  if (renamed != 0 && errno == EEXIST) return false;  // the destructor removes the bytes
  finish(renamed);
  return true;
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void sync_folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

void make_folder(const std::filesystem::path& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (is_machine_failure(code.value())) {
    throw SystemError(
        fmt::format("{}: the folder cannot be created: {}", path.string(), code.message()),
        code.value());
  }
  if (code || !std::filesystem::is_directory(path)) {
    throw Error({.what = fmt::format("the folder cannot be made: {}",
                                     code ? code.message() : "something else has that name"),
                 .where = path.string(),
                 .hint = "give an output folder that you may write to"});
  }
}

}  // namespace palimpsest
