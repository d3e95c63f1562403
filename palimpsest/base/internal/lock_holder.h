// Who holds a lock file, and whether that process still lives. flock() answers this for all
// processes of one machine. A file system that several machines share may keep these locks on each
// machine alone, so there the lock file counts as well: it names its holder's machine and process,
// and the holder renews the time of the file every few seconds. A file whose time is a minute old
// has no holder any more.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace palimpsest {

struct LockHolder {
  std::string host;
  int64_t pid = 0;
  std::string command;
};

// The line that a lock file of this process holds.
std::string lock_holder_line(const std::string& command);
// What the file says; nothing if it cannot be read, or says nothing.
std::optional<LockHolder> read_lock_holder(const std::filesystem::path& file);

// Whether the open file lies on a file system that several machines share: NFS, SMB, Lustre and
// their like.
bool is_shared_by_machines(int descriptor);

// Without a sign of life for so long, a holder on another machine counts as gone.
inline constexpr std::chrono::seconds kHolderIsGone{60};

// Whether the holder may live, `age` after its last sign of life. On this machine the process list
// tells; a process with our own number was an earlier one.
bool may_live(const LockHolder& holder, std::chrono::duration<double> age);

// Whether the lock of an open file, which flock() gave us, may nevertheless be another machine's.
bool may_be_held_elsewhere(int descriptor, const std::filesystem::path& file);

// Renews the time of the lock file, from a thread of its own, until it is destroyed.
class LockHeartbeat {
 public:
  explicit LockHeartbeat(int descriptor);
  ~LockHeartbeat();
  LockHeartbeat(const LockHeartbeat&) = delete;
  LockHeartbeat& operator=(const LockHeartbeat&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace palimpsest
