// Stages: folders that appear whole or not at all and know what they were made from, so that the
// same call again finds its work done, and an interrupted one leaves nothing half-finished behind.
// While a folder is filled or removed it holds a mark, the file .palimpsest-unfinished, and only
// marked (or empty) folders are removed: what a user put beside the target or into it stays.
//
//   Stage stage(out, fingerprint);
//   if (!stage.done()) { …write into stage.folder()…; stage.commit(facts); }
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "palimpsest/base/internal/output_lock.h"

namespace palimpsest::lab {

class Stage {
 public:
  // `fingerprint` stands for everything that decides the result. `command` is what another run that
  // wants to write there is told, since the target is locked as long as the stage exists. Throws
  // Error if another run holds the lock. Unless it is done, also throws Error if there is something
  // at `target`, in that folder, or at one of the two names beside it (TARGET.partial,
  // .TARGET.replaced) that the lab did not make: it is never deleted.
  Stage(const std::filesystem::path& target, std::string fingerprint,
        const std::string& command = "lab");
  // Without commit(), removes what begin() made: a run that failed or was stopped leaves nothing
  // behind.
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Whether `target` is complete and made from the same. Otherwise what is there is replaced by
  // commit().
  bool done() const { return done_; }
  // What commit() kept, as JSON; empty unless done.
  const std::string& facts() const { return facts_; }

  // Makes the folder beside the target that is to be filled, with nothing but the mark. Throws
  // Error if that is impossible, and SystemError if the disk has less than `bytes` free (with some
  // room to spare).
  std::filesystem::path begin(int64_t bytes);
  // Puts it in the target's place; `facts` is a JSON object that goes into the stage's own file.
  void commit(const std::string& facts);

 private:
  // Reads what is at the target.
  void find_done();

  std::filesystem::path target_;
  OutputLock lock_;
  std::filesystem::path beside_;
  std::filesystem::path old_;  // where the result that is replaced goes before it is removed
  std::string fingerprint_;
  std::string facts_;
  bool done_ = false;
  bool begun_ = false;  // and not committed
};

}  // namespace palimpsest::lab
