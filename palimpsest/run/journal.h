// What a run has finished, on disk as it goes: an append-only file of whole batches. Whoever opens
// it after a crash finds every batch that was committed and nothing of the one that was not. What a
// batch holds is for its writer to know (see payload.h); payloads lie in the file and not in memory.
//
// A file belongs to one plan, named by a fingerprint of everything that decides its results; with
// another fingerprint it starts anew.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace palimpsest {

class Journal {
 public:
  // Opens or makes the file. Throws SystemError if it cannot be written, Error if another process
  // has it open.
  Journal(const std::filesystem::path& path, const std::string& fingerprint);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // How many batches are finished, and whether this one is.
  size_t size() const { return entries_.size(); }
  bool has(int64_t batch) const { return entries_.contains(batch); }
  // The payload of a finished batch, from the file. Throws SystemError if it cannot be read.
  std::string read(int64_t batch) const;

  // On disk when it returns.
  void commit(int64_t batch, std::string_view payload);

 private:
  // Where in the file a payload lies.
  struct Entry {
    int64_t offset = 0;
    int64_t size = 0;
  };
  void find_entries(const std::string& fingerprint);
  bool find_entry(int64_t limit);
  void start_anew(const std::string& fingerprint);
  int64_t file_size() const;
  bool read_at(int64_t offset, char* bytes, int64_t count) const;
  void append(std::string_view bytes);

  std::filesystem::path path_;
  int file_ = -1;
  int64_t end_ = 0;  // of what is whole
  std::map<int64_t, Entry> entries_;
};

// A journal that is made when there is something to write: a call that is refused leaves nothing
// behind. Its file is named by its fingerprint. Without a folder nothing is written: payloads stay in
// memory, and an interrupted run begins anew.
class LazyJournal {
 public:
  // Opens it if it is there. Throws as Journal does.
  LazyJournal(std::filesystem::path folder, std::string fingerprint);

  bool has(int64_t batch) const;
  // The payload of a finished batch.
  std::string read(int64_t batch) const;
  // On disk when it returns; makes folder and file if need be.
  void commit(int64_t batch, std::string payload);

 private:
  std::filesystem::path folder_;
  std::string fingerprint_;
  std::filesystem::path file_;
  std::unique_ptr<Journal> journal_;
  std::map<int64_t, std::string> kept_;  // without a folder
};

// Where the journals of a result lie: a folder beside it, "out.jsonl.run" of "out.jsonl".
std::filesystem::path journal_folder(const std::filesystem::path& result);

// For whoever has written the result whole: what it was made from is not needed again.
void remove_journals(const std::filesystem::path& result);

}  // namespace palimpsest
