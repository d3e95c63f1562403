#include "palimpsest/lab/internal/stage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/lab/internal/model_folder.h"

namespace palimpsest::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStageFile = "lab.json";
constexpr const char* kVersionKey = "palimpsest_lab";
constexpr int kVersion = 1;
// In a folder that a run fills, or is about to remove. Only such a folder is ever removed.
constexpr const char* kMark = ".palimpsest-unfinished";

[[noreturn]] void fail_on(const fs::path& path, const std::string& what,
                          const std::error_code& reason) {
  if (is_machine_failure(reason.value())) {
    throw SystemError(fmt::format("{}: {}: {}", path.string(), what, reason.message()),
                      reason.value());
  }
  throw Error({.what = what, .where = path.string(), .found = reason.message()});
}

// The folder itself: "folder/" and "folder" are the same one, and a link leads to it.
fs::path real_folder(const fs::path& path) {
  constexpr int kMaxLinks = 40;
  fs::path real = path.lexically_normal();
  if (!real.has_filename()) real = real.parent_path();
  std::error_code ignored;
  for (int i = 0; i < kMaxLinks && fs::is_symlink(real, ignored); ++i) {
    real = (real.parent_path() / fs::read_symlink(real, ignored)).lexically_normal();
    if (!real.has_filename()) real = real.parent_path();
  }
  return real;
}

fs::path hidden_beside(const fs::path& folder) {
  return folder.parent_path() / fmt::format(".{}.replaced", folder.filename().string());
}

bool is_stage(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kStageFile, ignored);
}

std::error_code mark(const fs::path& folder) {
  const int descriptor =
      ::open((folder / kMark).c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) return {errno, std::generic_category()};
  ::close(descriptor);
  return {};
}

void unmark(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder / kMark, ignored);
}

std::vector<fs::path> entries_of(const fs::path& folder, std::error_code& reason) {
  std::vector<fs::path> entries;
  fs::directory_iterator entry(folder, reason);
  for (; !reason && entry != fs::directory_iterator(); entry.increment(reason)) {
    entries.push_back(entry->path());
  }
  return entries;
}

// A folder that a killed run left: marked, or still without anything in it.
bool is_abandoned(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(folder, ignored)) &&
         (is_listed(folder / kMark) || fs::is_empty(folder, ignored));
}

// The mark goes last, so that a run that is killed here leaves a folder that the next one removes.
std::error_code remove_abandoned(const fs::path& folder) {
  std::error_code reason;
  if (!is_abandoned(folder)) return reason;
  for (const fs::path& entry : entries_of(folder, reason)) {
    if (!reason && entry.filename() != kMark) fs::remove_all(entry, reason);
  }
  if (!reason) fs::remove(folder / kMark, reason);
  if (!reason) fs::remove(folder, reason);
  return reason;
}

void require_free(const fs::path& folder) {
  if (!is_listed(folder) || is_abandoned(folder)) return;
  throw Error({.what = "the lab needs this name temporarily, but something that it did not make "
                       "has it",
               .where = folder.string(),
               .hint = "move it elsewhere, or give the new model another name"});
}

// The names of a stage's files. A stage of an earlier version does not list them.
std::optional<std::vector<std::string>> files_of(const Json& stage, const std::string& where) {
  const auto found = stage.find("files");
  if (found == stage.end()) return std::nullopt;
  std::vector<std::string> files;
  if (!found->is_array()) throw Error({.what = "'files' is not an array", .where = where});
  for (const Json& name : *found) {
    if (name.is_string()) files.push_back(name.get<std::string>());
  }
  return files;
}

// Throws Error if the folder, a stage, holds anything that the lab did not write there.
void require_own_files(const fs::path& folder) {
  const std::string where = (folder / kStageFile).string();
  const auto files = files_of(parse_json(read_file(where), where), where);
  const auto is_own = [&](const std::string& name) {
    if (name == kStageFile || name == kMark) return true;
    return files ? std::ranges::find(*files, name) != files->end() : is_model_file(name);
  };
  std::error_code reason;
  for (const fs::path& entry : entries_of(folder, reason)) {
    const std::string name = entry.filename().string();
    std::error_code ignored;
    if (is_own(name) && !fs::is_directory(fs::symlink_status(entry, ignored))) continue;
    throw Error({.what = "the folder would be replaced, but the lab did not write all of it",
                 .where = folder.string(),
                 .found = fmt::format("'{}'", name),
                 .hint = "move that elsewhere, or name a folder that does not exist yet"});
  }
  if (reason) fail_on(folder, "the folder cannot be read", reason);
}

// Of the files that were written, sorted.
std::vector<std::string> names_in(const fs::path& folder) {
  std::error_code reason;
  std::vector<std::string> names;
  for (const fs::path& entry : entries_of(folder, reason)) {
    if (entry.filename() != kMark) names.push_back(entry.filename().string());
  }
  if (reason) fail_on(folder, "the folder cannot be read", reason);
  std::ranges::sort(names);
  return names;
}

}  // namespace

Stage::Stage(const fs::path& target, std::string fingerprint, const std::string& command)
    : target_(real_folder(target)),
      lock_(OutputLock::of_replaced_folder(target_, command)),
      beside_(target_.string() + ".partial"),
      old_(hidden_beside(target_)),
      fingerprint_(std::move(fingerprint)) {
  std::error_code ignored;
  // Interrupted between the two renames of commit().
  if (!fs::exists(target_, ignored) && is_listed(old_ / kMark) && is_stage(old_)) {
    fs::rename(old_, target_, ignored);
  }
  find_done();
  // Left by a run that was killed.
  remove_abandoned(beside_);
  remove_abandoned(old_);
  if (done_) return;
  require_free(beside_);
  if (is_stage(target_)) require_free(old_);
}

void Stage::find_done() {
  std::error_code ignored;
  if (!fs::exists(target_, ignored)) return;
  if (!fs::is_directory(target_, ignored) ||
      (!fs::is_empty(target_, ignored) && !is_stage(target_))) {
    throw Error({.what = "something is there that the lab did not make",
                 .where = target_.string(),
                 .hint = "name a folder that does not exist yet"});
  }
  if (!is_stage(target_)) return;
  const fs::path file = target_ / kStageFile;
  const Json stage = parse_json(read_file(file), file.string());
  if (!stage.is_object() || !stage.contains(kVersionKey)) {
    throw Error({.what = "this is not a stage file of the lab",
                 .where = file.string(),
                 .hint = "name a folder that does not exist yet"});
  }
  require_version(stage[kVersionKey], kVersion, "stage file of the lab", file.string());
  const Json facts = stage.value("facts", Json());
  done_ = stage.value("fingerprint", Json()) == Json(fingerprint_) && facts.is_object();
  if (done_) {
    facts_ = facts.dump();
  } else {
    require_own_files(target_);
  }
  unmark(target_);  // interrupted within commit()
}

Stage::~Stage() {
  if (begun_) remove_abandoned(beside_);
}

fs::path Stage::begin(int64_t bytes) {
  require_free(beside_);
  std::error_code reason = remove_abandoned(beside_);
  if (reason) fail_on(beside_, "an unfinished folder cannot be removed", reason);
  make_folder(beside_);
  begun_ = true;
  reason = mark(beside_);
  if (reason) fail_on(beside_, "the folder cannot be written to", reason);
  constexpr int64_t kSpare = int64_t{1} << 20;
  const fs::space_info space = fs::space(beside_, reason);
  if (!reason && space.available < static_cast<uintmax_t>(bytes + kSpare)) {
    const Error error({.what = "there is too little space on the disk",
                       .where = target_.string(),
                       .expected = fmt::format("{} bytes", bytes + kSpare),
                       .found = fmt::format("{} bytes", space.available),
                       .hint = "free some, or name a folder elsewhere"});
    throw SystemError(error.what(), ENOSPC);
  }
  return beside_;
}

void Stage::commit(const std::string& facts) {
  facts_ = facts;
  const Json stage = {{kVersionKey, kVersion},
                      {"fingerprint", fingerprint_},
                      {"facts", parse_json(facts, "the facts of a stage")},
                      {"files", names_in(beside_)}};
  write_file(beside_ / kStageFile, to_text(stage));
  // The old result goes only now, when the new one is complete, and in one step.
  std::error_code reason;
  if (is_stage(target_)) {
    require_own_files(target_);  // somebody may have put something there since the beginning
    require_free(old_);
    reason = mark(target_);
    if (!reason) fs::rename(target_, old_, reason);
    if (reason) unmark(target_);
  }
  if (reason) fail_on(target_, "the old result cannot be replaced", reason);
  fs::rename(beside_, target_, reason);
  if (reason) {
    std::error_code ignored;
    fs::rename(old_, target_, ignored);
    unmark(target_);
    fail_on(target_, "the result cannot be moved to its place", reason);
  }
  begun_ = false;
  done_ = true;
  unmark(target_);
  remove_abandoned(old_);
}

}  // namespace palimpsest::lab
