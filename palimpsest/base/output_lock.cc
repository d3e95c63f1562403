#include "palimpsest/base/output_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/partial_file.h"

namespace palimpsest {
namespace {

constexpr const char* kLockFile = "palimpsest.lock";

std::string host_name() {
  std::array<char, 256> name = {};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "?";
  return name.data();
}

// " (`palimpsest eval`, process 123 on host X)", or nothing if the file does not say it.
std::string holder_of(const std::filesystem::path& file) {
  try {
    const Json holder = parse_json(read_file(file), file.string());
    return fmt::format(" (`{}`, process {} on host {})", holder.at("command").get<std::string>(),
                       holder.at("pid").get<int64_t>(), holder.at("host").get<std::string>());
  } catch (const std::exception&) {
    return "";  // just being written, or just removed
  }
}

std::string with_part(const std::string& part) {
  return part.empty() ? kLockFile : fmt::format("{}.{}", part, kLockFile);
}

// The file itself: "name/" and "name" are the same place, and a link leads to it.
std::filesystem::path real_path(const std::filesystem::path& path) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  std::filesystem::path real = std::filesystem::weakly_canonical(absolute, failed);
  if (failed) real = absolute.lexically_normal();
  return real.has_filename() ? real : real.parent_path();
}

// A full disk is nobody's mistake; a place that may not be written to is a wrong call.
[[noreturn]] void fail_to_lock(const std::filesystem::path& place, int code) {
  const std::string what =
      fmt::format("the output folder cannot be written: {}", std::strerror(code));
  if (is_machine_failure(code)) {
    throw SystemError(fmt::format("{}: {}", place.string(), what), code);
  }
  throw Error({.what = what,
               .where = place.string(),
               .hint = "give an output folder that you may write to"});
}

}  // namespace

OutputLock OutputLock::of_folder(const std::filesystem::path& folder, const std::string& command,
                                 const std::string& part) {
  OutputLock lock;
  lock.place_ = folder;
  lock.acquire(real_path(folder), "." + with_part(part), command);
  // Traces and figures lie one folder further down.
  remove_abandoned_partial_files(folder);
  std::error_code ignored;
  std::filesystem::directory_iterator entries(folder, ignored);
  for (; entries != std::filesystem::directory_iterator(); entries.increment(ignored)) {
    if (entries->is_directory(ignored) && !entries->is_symlink(ignored))
      remove_abandoned_partial_files(entries->path());
  }
  return lock;
}

OutputLock OutputLock::of_file(const std::filesystem::path& file, const std::string& command,
                               const std::string& part) {
  OutputLock lock;
  if (is_device_or_pipe(file)) return lock;
  const std::filesystem::path real = real_path(file);
  const std::string name = real.filename().string();
  lock.place_ = file;
  lock.acquire(real.parent_path(), fmt::format(".{}.{}", name, with_part(part)), command);
  remove_abandoned_partial_files(real.parent_path(), name);
  return lock;
}

void OutputLock::acquire(const std::filesystem::path& folder, const std::string& name,
                         const std::string& command) {
  constexpr int kAttempts = 1000;  // more than there will be other runs that end just now
  try {
    for (int i = 0; i < kAttempts; ++i) {
      if (try_acquire(folder, name, command)) return;
    }
    fail_to_lock(place_, ENOENT);
  } catch (...) {
    remove_made_folders();
    throw;
  }
}

// False where somebody else has just removed the file or the folder.
bool OutputLock::try_acquire(const std::filesystem::path& folder, const std::string& name,
                             const std::string& command) {
  make_folders(folder);
  file_ = folder / name;
  const int descriptor = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0 && errno == ENOENT) return false;
  if (descriptor < 0) fail_to_lock(place_, errno);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    ::close(descriptor);
    if (code != EWOULDBLOCK) fail_to_lock(place_, code);
    std::error_code ignored;
    const bool is_folder = std::filesystem::is_directory(place_, ignored);
    throw Error({.what = fmt::format("another run{} is writing to this {}", holder_of(file_),
                                     is_folder ? "folder" : "place"),
                 .where = place_.string(),
                 .hint = "wait for it, or give this run an output of its own"});
  }
  if (!is_at(descriptor, file_)) {
    ::close(descriptor);
    return false;
  }
  descriptor_ = descriptor;
  const std::string holder =
      to_line({{"host", host_name()}, {"pid", ::getpid()}, {"command", command}}) + "\n";
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, holder.data(), holder.size(), 0) != std::ssize(holder)) {
    const int code = errno;
    release();
    fail_to_lock(place_, code);
  }
  return true;
}

// One by one, since those that were there already stay.
void OutputLock::make_folders(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> missing;
  std::error_code ignored;
  for (std::filesystem::path one = folder; !one.empty() && !std::filesystem::exists(one, ignored);
       one = one.parent_path()) {
    missing.push_back(one);
  }
  for (size_t i = missing.size(); i-- > 0;) {
    if (std::filesystem::create_directory(missing[i], ignored))
      made_.insert(made_.begin(), missing[i]);
  }
  make_folder(folder);  // says what is wrong
}

void OutputLock::remove_made_folders() {
  for (const std::filesystem::path& folder : std::exchange(made_, {})) {
    if (::rmdir(folder.c_str()) != 0 && errno != ENOENT) return;  // something is in it
  }
}

void OutputLock::release() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());  // still locked, so that it is nobody else's
  ::close(std::exchange(descriptor_, -1));
  remove_made_folders();
}

OutputLock::OutputLock(OutputLock&& other) noexcept {
  *this = std::move(other);
}

OutputLock& OutputLock::operator=(OutputLock&& other) noexcept {
  if (this == &other) return *this;
  release();
  place_ = std::move(other.place_);
  file_ = std::move(other.file_);
  descriptor_ = std::exchange(other.descriptor_, -1);
  made_ = std::exchange(other.made_, {});
  return *this;
}

OutputLock::~OutputLock() {
  release();
}

}  // namespace palimpsest
