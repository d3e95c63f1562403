// A journal stores the finished batches of a run on disk, in an append-only file. After a crash it
// holds every batch that was committed, and no part of any other. The journal does not interpret
// the bytes of a batch (its payload, see payload.h) and does not keep them in memory.
//
// A file belongs to one plan, identified by its fingerprint: a hash of everything that determines
// the results. If the file is opened with another fingerprint, its contents are discarded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/run/work.h"

namespace palimpsest::run {

// The number of the entry that describes a part (parts.h); batches count from 0.
inline constexpr int64_t kDescription = -1;

// Must be used by one thread at a time.
class Journal {
 public:
  // Opens or creates the file. Throws SystemError if it cannot be written, and Error if another
  // process has it open.
  Journal(const std::filesystem::path& path, const std::string& fingerprint);
  // Opens a journal for reading: nothing is locked, cut off or discarded, and nothing can be
  // committed. Returns null if the file does not begin with the header of a journal. Throws
  // SystemError if it cannot be read, and Error if it is of a newer version.
  static std::unique_ptr<Journal> open_to_read(const std::filesystem::path& path);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // The number of finished batches, and whether a certain batch is finished.
  size_t size() const { return entries_.size(); }
  bool has(int64_t batch) const { return entries_.contains(batch); }
  // The numbers of the finished batches, in ascending order.
  std::vector<int64_t> batches() const;
  const std::string& fingerprint() const { return fingerprint_; }
  // Reads the payload of a finished batch from the file. Throws SystemError if it cannot be read.
  std::string read(int64_t batch) const;

  // Stores a finished batch. It is on disk when the function returns.
  void commit(int64_t batch, std::string_view payload);

 private:
  // Where a payload stands in the file.
  struct Entry {
    int64_t offset = 0;
    int64_t size = 0;
  };
  Journal() = default;
  bool read_head(std::string& fingerprint) const;
  void find_entries();
  bool find_entry(int64_t limit);
  void restart();
  int64_t file_size() const;
  bool read_at(int64_t offset, char* bytes, int64_t count) const;
  void append(std::string_view bytes);

  std::filesystem::path path_;
  std::string fingerprint_;
  bool is_writable_ = true;
  int file_ = -1;
  int64_t end_ = 0;  // where the complete entries end
  std::map<int64_t, Entry> entries_;
};

// A journal whose file is created only when there is something to write, so a rejected call leaves
// no file behind. The name of the file is the fingerprint, unless another one is given. If there is
// no folder, nothing is written: payloads stay in memory, and an interrupted run starts again from
// the beginning.
class LazyJournal {
 public:
  // Opens the file if it exists. Throws the same exceptions as Journal.
  LazyJournal(std::filesystem::path folder, std::string fingerprint, const std::string& name = "");

  bool has(int64_t batch) const;
  // Returns the payload of a finished batch.
  std::string read(int64_t batch) const;
  // The same. A payload that is only in memory is there no longer, so that memory does not hold it
  // beside what is made of it.
  std::string take(int64_t batch);
  // Stores a finished batch. It is on disk when the function returns. The folder and the file are
  // created if necessary.
  void commit(int64_t batch, std::string payload);

 private:
  std::filesystem::path folder_;
  std::string fingerprint_;
  std::filesystem::path file_;
  std::unique_ptr<Journal> journal_;
  std::map<int64_t, std::string> kept_;  // the payloads, if there is no folder
};

}  // namespace palimpsest::run
