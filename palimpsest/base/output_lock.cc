#include "palimpsest/base/internal/output_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/lock_holder.h"
#include "palimpsest/base/internal/partial_file.h"

namespace palimpsest {
namespace {

// " (`palimpsest eval`, process 123 on host X)", or nothing if the file does not say it.
std::string holder_text(const std::filesystem::path& file) {
  const std::optional<LockHolder> holder = read_lock_holder(file);
  if (!holder) return "";  // just being written, or just removed
  return fmt::format(" (`{}`, process {} on host {})", holder->command, holder->pid, holder->host);
}

// Whether another process holds the lock of this file, which may be absent. A shared lock is enough
// to ask, so that those who ask do not disturb each other.
bool is_held(const std::filesystem::path& file, int kind) {
  // What has the name of a lock but is a pipe would make us wait.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool is_free = ::flock(descriptor, kind | LOCK_NB) == 0;
  const bool is_lost =
      is_free && is_at(descriptor, file) && may_be_held_elsewhere(descriptor, file);
  // Nobody holds it: its holder was killed.
  if (is_free && !is_lost && kind == LOCK_EX && is_at(descriptor, file)) ::unlink(file.c_str());
  ::close(descriptor);
  return !is_free || is_lost;
}

// A full disk is nobody's mistake; an output that may not be written to is a wrong call.
[[noreturn]] void fail_to_lock(const std::filesystem::path& output, int code) {
  const std::string what =
      fmt::format("the output folder cannot be written: {}", std::strerror(code));
  if (is_machine_failure(code)) {
    throw SystemError(fmt::format("{}: {}", output.string(), what), code);
  }
  throw Error({.what = what,
               .where = output.string(),
               .hint = "give an output folder that you may write to"});
}

}  // namespace

std::filesystem::path real_output_path(const std::filesystem::path& path) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  std::filesystem::path real = std::filesystem::weakly_canonical(absolute, failed);
  if (failed) real = absolute.lexically_normal();
  return real.has_filename() ? real : real.parent_path();
}

// The name of a lock file: {stem}lock, or {stem}{part}.lock.
struct OutputLock::LockName {
  std::string stem;
  std::string part;  // empty: the whole

  static LockName make(const std::string& of, const std::string& part) {
    return {.stem = fmt::format(".{}{}palimpsest.", of, of.empty() ? "" : "."), .part = part};
  }
  std::string whole() const { return stem + "lock"; }
  std::string text() const { return part.empty() ? whole() : fmt::format("{}{}.lock", stem, part); }
  // Whether the name is that of a part's lock.
  bool has_part(const std::string& name) const {
    return name.size() > whole().size() && name.starts_with(stem) && name.ends_with(".lock");
  }
};

OutputLock OutputLock::of_folder(const std::filesystem::path& folder, const std::string& command,
                                 const std::string& part) {
  OutputLock lock;
  lock.output_ = folder;
  lock.acquire(real_output_path(folder), LockName::make("", part), command);
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
  std::error_code ignored;
  if (!file.has_filename() || std::filesystem::is_directory(file, ignored)) {
    throw Error({.what = "this is a folder, not a file that can be written",
                 .where = file.string(),
                 .hint = "name a file"});
  }
  return beside(file, command, part);
}

OutputLock OutputLock::of_replaced_folder(const std::filesystem::path& folder,
                                          const std::string& command) {
  return beside(folder, command, "");
}

OutputLock OutputLock::beside(const std::filesystem::path& output, const std::string& command,
                              const std::string& part) {
  OutputLock lock;
  if (is_device_or_pipe(output)) return lock;
  const std::filesystem::path real = real_output_path(output);
  const std::string name = real.filename().string();
  lock.output_ = output;
  lock.acquire(real.parent_path(), LockName::make(name, part), command);
  remove_abandoned_partial_files(real.parent_path(), name);
  return lock;
}

void OutputLock::acquire(const std::filesystem::path& folder, const LockName& name,
                         const std::string& command) {
  constexpr int kAttempts = 1000;  // more than there will be other runs that end just now
  try {
    for (int i = 0; i < kAttempts; ++i) {
      if (!try_acquire(folder, name.text(), command)) continue;
      // First one's own lock, then a look at the others': of two that come at the same time, at
      // least one sees the other.
      if (name.part.empty()) {
        throw_if_part_locked(folder, name);
      } else {
        throw_if_whole_locked(folder, name);
      }
      return;
    }
    fail_to_lock(output_, ENOENT);
  } catch (...) {
    release();
    remove_made_folders();
    throw;
  }
}

void OutputLock::refuse(const std::filesystem::path& held) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(output_, ignored);
  throw Error({.what = fmt::format("another run{} is writing to this {}", holder_text(held),
                                   is_folder ? "folder" : "path"),
               .where = output_.string(),
               .hint = "wait for it, or give this run an output of its own"});
}

// Lock files of parts that were killed go.
void OutputLock::throw_if_part_locked(const std::filesystem::path& folder, const LockName& name) {
  std::error_code ignored;
  std::filesystem::directory_iterator entries(folder, ignored);
  for (; entries != std::filesystem::directory_iterator(); entries.increment(ignored)) {
    if (name.has_part(entries->path().filename().string()) && is_held(entries->path(), LOCK_EX))
      refuse(entries->path());
  }
}

void OutputLock::throw_if_whole_locked(const std::filesystem::path& folder, const LockName& name) {
  const std::filesystem::path whole = folder / name.whole();
  if (is_held(whole, LOCK_SH)) refuse(whole);
}

// False where somebody else has just removed the file or the folder.
bool OutputLock::try_acquire(const std::filesystem::path& folder, const std::string& name,
                             const std::string& command) {
  make_folders(folder);
  file_ = folder / name;
  // A link in a folder that somebody else made could lead to any file, which would be overwritten.
  const int descriptor = ::open(file_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (descriptor < 0 && errno == ENOENT) return false;
  if (descriptor < 0 && errno == ELOOP) {
    throw Error({.what = "the lock file of this output is a link",
                 .where = file_.string(),
                 .hint = "remove it, or give this run an output of its own"});
  }
  if (descriptor < 0) fail_to_lock(output_, errno);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    ::close(descriptor);
    if (code != EWOULDBLOCK) fail_to_lock(output_, code);
    refuse(file_);
  }
  if (!is_at(descriptor, file_)) {
    ::close(descriptor);
    return false;
  }
  if (may_be_held_elsewhere(descriptor, file_)) {
    ::close(descriptor);
    refuse(file_);
  }
  descriptor_ = descriptor;
  const std::string holder = lock_holder_line(command);
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, holder.data(), holder.size(), 0) != std::ssize(holder)) {
    const int code = errno;
    release();
    fail_to_lock(output_, code);
  }
  if (is_shared_by_machines(descriptor)) heartbeat_ = std::make_unique<LockHeartbeat>(descriptor);
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
  heartbeat_.reset();
  ::unlink(file_.c_str());  // still locked, so that it is nobody else's
  ::close(std::exchange(descriptor_, -1));
  remove_made_folders();
}

OutputLock::OutputLock() = default;

OutputLock::OutputLock(OutputLock&& other) noexcept {
  *this = std::move(other);
}

OutputLock& OutputLock::operator=(OutputLock&& other) noexcept {
  if (this == &other) return *this;
  release();
  output_ = std::move(other.output_);
  file_ = std::move(other.file_);
  descriptor_ = std::exchange(other.descriptor_, -1);
  heartbeat_ = std::move(other.heartbeat_);
  made_ = std::exchange(other.made_, {});
  return *this;
}

OutputLock::~OutputLock() {
  release();
}

}  // namespace palimpsest
