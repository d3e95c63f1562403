// A journal stores the finished batches of a run on disk, in an append-only file. After a crash it
// holds every batch that was committed and no part of any other. The journal does not interpret
// what a batch holds (see payload.h). Payloads stay in the file and are not kept in memory.
//
// A file belongs to one plan, identified by a fingerprint of everything that determines its
// results. If it is opened with another fingerprint, its contents are discarded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace palimpsest::run {

class Journal {
 public:
  // Opens or creates the file. Throws SystemError if it cannot be written, Error if another process
  // has it open.
  Journal(const std::filesystem::path& path, const std::string& fingerprint);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // How many batches are finished, and whether a given batch is.
  size_t size() const { return entries_.size(); }
  bool has(int64_t batch) const { return entries_.contains(batch); }
  // The payload of a finished batch, from the file. Throws SystemError if it cannot be read.
  std::string read(int64_t batch) const;

  // Stores a finished batch. It is on disk when the function returns.
  void commit(int64_t batch, std::string_view payload);

 private:
  // Where in the file a payload lies.
  struct Entry {
    int64_t offset = 0;
    int64_t size = 0;
  };
  void find_entries(const std::string& fingerprint);
  bool find_entry(int64_t limit);
  void restart(const std::string& fingerprint);
  int64_t file_size() const;
  bool read_at(int64_t offset, char* bytes, int64_t count) const;
  void append(std::string_view bytes);

  std::filesystem::path path_;
  int file_ = -1;
  int64_t end_ = 0;  // of what is whole
  std::map<int64_t, Entry> entries_;
};

// A journal whose file is created when there is something to write, so that a rejected call leaves
// no file behind. Its file is named by its fingerprint. Without a folder nothing is written:
// payloads stay in memory, and an interrupted run begins anew.
class LazyJournal {
 public:
  // Opens the file if it exists. Throws as Journal does.
  LazyJournal(std::filesystem::path folder, std::string fingerprint);

  bool has(int64_t batch) const;
  // The payload of a finished batch.
  std::string read(int64_t batch) const;
  // Stores a finished batch. It is on disk when the function returns; the folder and the file are
  // created if necessary.
  void commit(int64_t batch, std::string payload);

 private:
  std::filesystem::path folder_;
  std::string fingerprint_;
  std::filesystem::path file_;
  std::unique_ptr<Journal> journal_;
  std::map<int64_t, std::string> kept_;  // without a folder
};

// The folder for the journals of a result, which lies beside it: "out.jsonl.run" for "out.jsonl".
std::filesystem::path journal_folder(const std::filesystem::path& result);

// Removes the journals of a result. To be called when the result is completely written and they are
// no longer needed.
void remove_journals(const std::filesystem::path& result);

}  // namespace palimpsest::run
