#include "palimpsest/base/internal/partial_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace palimpsest {
namespace {

constexpr std::string_view kPartialEnding = ".partial";

// .NAME.PID.partial; any NAME where none is given.
bool is_partial_file_name(std::string_view name, std::string_view of_file) {
  if (!name.starts_with('.') || !name.ends_with(kPartialEnding)) return false;
  name.remove_prefix(1);
  name.remove_suffix(kPartialEnding.size());
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view pid = name.substr(dot + 1);
  const bool is_number =
      !pid.empty() && std::ranges::all_of(pid, [](char c) { return c >= '0' && c <= '9'; });
  return is_number && (of_file.empty() || name.substr(0, dot) == of_file);
}

// Whoever makes such a file checks after locking it that it is still there, so that one that was
// made, but not yet locked, may be removed as well.
void remove_if_abandoned(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat status = {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_at(descriptor, path)) {
    ::unlink(path.c_str());
  }
  ::close(descriptor);
}

}  // namespace

bool is_device_or_pipe(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

std::filesystem::path partial_file_for(const std::filesystem::path& target) {
  return target.parent_path() /
         fmt::format(".{}.{}{}", target.filename().string(), ::getpid(), kPartialEnding);
}

bool is_at(int descriptor, const std::filesystem::path& path) {
  struct stat open_file = {};
  struct stat found = {};
  return ::fstat(descriptor, &open_file) == 0 && ::stat(path.c_str(), &found) == 0 &&
         open_file.st_dev == found.st_dev && open_file.st_ino == found.st_ino;
}

int create_partial_file(const std::filesystem::path& path) {
  constexpr int kAttempts = 100;  // of a millisecond
  for (int attempt = 1;; ++attempt) {
    // A link of this name, which somebody else made, could lead to any file.
    constexpr int kNewFile = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    const int descriptor = ::open(path.c_str(), kNewFile, 0666);
    if (descriptor < 0) return -1;
    const bool is_locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if (is_locked && is_at(descriptor, path)) return descriptor;
    // Another run that looks for abandoned files holds the lock for a moment and may remove the
    // file. Where it is held for longer, this process writes the file twice at once.
    if (!is_locked && (errno != EWOULDBLOCK || attempt == kAttempts)) return descriptor;
    ::close(descriptor);
    ::usleep(1000);
  }
}

void remove_abandoned_partial_files(const std::filesystem::path& folder,
                                    std::string_view file_name) {
  std::error_code ignored;  // what cannot be read or removed is in nobody's way
  std::filesystem::directory_iterator entries(folder, ignored);
  for (; entries != std::filesystem::directory_iterator(); entries.increment(ignored)) {
    const std::filesystem::path& path = entries->path();
    if (is_partial_file_name(path.filename().string(), file_name)) remove_if_abandoned(path);
  }
}

}  // namespace palimpsest
