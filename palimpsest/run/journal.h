// What a run has finished, on disk as it goes: an append-only file of whole batches. Whoever opens
// it after a crash finds every batch that was committed and nothing of the one that was not.
//
// A file belongs to one plan, named by a fingerprint of everything that decides its results; with
// another fingerprint it starts anew.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "palimpsest/model/language_model.h"

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
  const std::map<int64_t, std::vector<SequenceScores>>& batches() const { return batches_; }

  // On disk when it returns.
  void commit(int64_t batch, std::vector<SequenceScores> scores);

 private:
  void read_all(const std::string& fingerprint);
  void start_anew(const std::string& fingerprint);
  void write(const std::string& bytes);

  std::filesystem::path path_;
  int file_ = -1;
  std::map<int64_t, std::vector<SequenceScores>> batches_;
};

}  // namespace palimpsest
