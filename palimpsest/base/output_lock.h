// One run per output folder: a lock that a run holds while it writes its results, so that a second
// run into the same place is refused instead of the two overwriting each other's files.
//
//   const OutputLock lock = OutputLock::of_folder(out, "palimpsest mia");
//
// The lock is a file, .palimpsest.lock in the folder or .FILE.palimpsest.lock beside a file, which
// says who holds it and goes when the lock does. The system frees the lock of a process that was
// killed, and the next run takes over the file that it left. A lock is taken once per run: a second
// one on the same place is refused even within one process. Whoever takes it also removes the
// unfinished files (.NAME.PID.partial) that killed runs left there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace palimpsest {

class OutputLock {
 public:
  // The lock of a folder, which is made if it does not exist. A folder that was made and is still
  // empty when the lock goes is removed again, so that a run that is refused later leaves nothing
  // behind. `command` tells others who holds the lock. Runs that share a folder name the `part`
  // that they write; "" is the whole run.
  // Throws Error if another run holds the lock, or if the folder cannot be written.
  static OutputLock of_folder(const std::filesystem::path& folder, const std::string& command,
                              const std::string& part = "");
  // The same for a run whose result is one file, or one folder that is replaced as a whole. A
  // device or a pipe has no lock.
  static OutputLock of_file(const std::filesystem::path& file, const std::string& command,
                            const std::string& part = "");

  OutputLock(OutputLock&& other) noexcept;
  OutputLock& operator=(OutputLock&& other) noexcept;
  ~OutputLock();

 private:
  OutputLock() = default;
  void acquire(const std::filesystem::path& folder, const std::string& name,
               const std::string& command);
  bool try_acquire(const std::filesystem::path& folder, const std::string& name,
                   const std::string& command);
  void make_folders(const std::filesystem::path& folder);
  void remove_made_folders();
  void release();

  std::filesystem::path place_;              // what is locked, for messages
  std::filesystem::path file_;               // the lock file
  int descriptor_ = -1;                      // -1: nothing is locked
  std::vector<std::filesystem::path> made_;  // folders, the innermost first
};

}  // namespace palimpsest
