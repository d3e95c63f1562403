// A lock on an output folder or file, which a run holds while it writes its results. A second run
// that wants to write to the same folder or file is refused, so that two runs never overwrite each
// other's results.
//
//   const OutputLock lock = OutputLock::of_folder(out, "palimpsest mia");
//
// The lock is a file: .palimpsest.lock in the folder, or .FILE.palimpsest.lock beside a file. If a
// run locks only a part of its output (see of_folder()), the file is .palimpsest.PART.lock or
// .FILE.palimpsest.PART.lock. The lock file says who holds the lock, and it is removed when the
// lock is released. If a process is killed, the system releases its lock, and the next run takes
// over the lock file. One process cannot take the same lock twice: the second attempt is refused
// like that of another process. Taking a lock also removes the unfinished files
// (.NAME.PID.partial) that killed runs left behind.
//
// The system keeps the lock (flock). On a file system that several machines share, the system may
// not tell one machine about the locks of another. There, an existing lock file also counts as a
// lock: as long as its holder lives, the holder renews the time of the file
// (internal/lock_holder.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace palimpsest {

class LockHeartbeat;

// The one path of an output, by which outputs are compared: absolute, without links, and without a
// slash at the end. The output need not exist.
std::filesystem::path real_output_path(const std::filesystem::path& path);

class OutputLock {
 public:
  // Locks a folder. The folder is made if it does not exist. If it was made here and is still empty
  // when the lock is released, it is removed again. So a run that fails before it writes anything
  // leaves nothing behind. `command` tells other runs who holds the lock. If several runs may write
  // to one folder, each of them locks only a part of it, which `part` names; "" is the whole
  // folder. Different parts may be locked at the same time; the whole and a part of it may not.
  // Throws Error if another run holds the lock, or if the folder cannot be written to.
  static OutputLock of_folder(const std::filesystem::path& folder, const std::string& command,
                              const std::string& part = "");
  // The same for a run whose result is one file. A device or a pipe has no lock. Throws Error if
  // the path leads to a folder.
  static OutputLock of_file(const std::filesystem::path& file, const std::string& command,
                            const std::string& part = "");
  // The same for a run whose result is one folder that is replaced as a whole.
  static OutputLock of_replaced_folder(const std::filesystem::path& folder,
                                       const std::string& command);

  OutputLock(OutputLock&& other) noexcept;
  OutputLock& operator=(OutputLock&& other) noexcept;
  ~OutputLock();

 private:
  OutputLock();
  struct LockName;
  // A lock whose file lies beside the output.
  static OutputLock beside(const std::filesystem::path& output, const std::string& command,
                           const std::string& part);
  void acquire(const std::filesystem::path& folder, const LockName& name,
               const std::string& command);
  bool try_acquire(const std::filesystem::path& folder, const std::string& name,
                   const std::string& command);
  void throw_if_part_locked(const std::filesystem::path& folder, const LockName& name);
  void throw_if_whole_locked(const std::filesystem::path& folder, const LockName& name);
  [[noreturn]] void refuse(const std::filesystem::path& held);
  void make_folders(const std::filesystem::path& folder);
  void remove_made_folders();
  void release();

  std::filesystem::path output_;              // what is locked, for messages
  std::filesystem::path file_;                // the lock file
  int descriptor_ = -1;                       // -1: nothing is locked
  std::unique_ptr<LockHeartbeat> heartbeat_;  // only where flock() may not be enough
  std::vector<std::filesystem::path> made_;   // folders made here, innermost first
};

}  // namespace palimpsest
