// What a run has finished, on disk as it goes: an append-only file of whole batches. Whoever opens
// it after a crash finds every batch that was committed and nothing of the one that was not. What a
// batch holds is for its writer to know (see payload.h).
//
// A file belongs to one plan, named by a fingerprint of everything that decides its results; with
// another fingerprint it starts anew.
#pragma once

#include <cstdint>
#include <cstdio>
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

  // The finished batches by number.
  const std::map<int64_t, std::string>& batches() const { return batches_; }

  // On disk when it returns.
  void commit(int64_t batch, std::string payload);

 private:
  void read_all(const std::string& fingerprint);
  void start_anew(const std::string& fingerprint);
  void write(std::string_view bytes);

  std::filesystem::path path_;
  int file_ = -1;
  std::map<int64_t, std::string> batches_;
};

// A journal that is made when there is something to write: a call that is refused leaves nothing
// behind. Its file is named by its fingerprint.
class LazyJournal {
 public:
  // Opens it if it is there. Throws as Journal does.
  LazyJournal(std::filesystem::path folder, std::string fingerprint);

  // The payload of a batch; nullptr if it is not finished.
  const std::string* find(int64_t batch) const;
  // On disk when it returns; makes folder and file if need be.
  void commit(int64_t batch, std::string payload);

 private:
  std::filesystem::path folder_;
  std::string fingerprint_;
  std::filesystem::path file_;
  std::unique_ptr<Journal> journal_;
};

}  // namespace palimpsest
