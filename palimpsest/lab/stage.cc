#include "palimpsest/lab/internal/stage.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/internal/json.h"

namespace palimpsest::lab {
namespace {

constexpr const char* kStageFile = "lab.json";
constexpr const char* kVersionKey = "palimpsest_lab";
constexpr int kVersion = 1;

[[noreturn]] void fail_on(const std::filesystem::path& path, const std::string& what,
                          const std::error_code& reason) {
  if (is_machine_failure(reason.value())) {
    throw SystemError(fmt::format("{}: {}: {}", path.string(), what, reason.message()),
                      reason.value());
  }
  throw Error({.what = what, .where = path.string(), .found = reason.message()});
}

// The folder itself: "folder/" and "folder" are the same place, and a link leads to it.
std::filesystem::path place_of(const std::filesystem::path& path) {
  constexpr int kMaxLinks = 40;
  std::filesystem::path place = path.lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  std::error_code ignored;
  for (int i = 0; i < kMaxLinks && std::filesystem::is_symlink(place, ignored); ++i) {
    place =
        (place.parent_path() / std::filesystem::read_symlink(place, ignored)).lexically_normal();
    if (!place.has_filename()) place = place.parent_path();
  }
  return place;
}

// A name that nobody else uses.
std::filesystem::path hidden_beside(const std::filesystem::path& place) {
  return place.parent_path() / fmt::format(".{}.replaced", place.filename().string());
}

bool is_stage(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / kStageFile, ignored);
}

}  // namespace

Stage::Stage(const std::filesystem::path& target, std::string fingerprint,
             const std::string& command)
    : target_(place_of(target)),
      lock_(OutputLock::of_replaced_folder(target_, command)),
      beside_(target_.string() + ".partial"),
      old_(hidden_beside(target_)),
      fingerprint_(std::move(fingerprint)) {
  std::error_code ignored;
  // Interrupted between the two renames of commit().
  if (!std::filesystem::exists(target_, ignored) && is_stage(old_))
    std::filesystem::rename(old_, target_, ignored);
  if (!std::filesystem::exists(target_, ignored)) return;
  const std::filesystem::path file = target_ / kStageFile;
  if (!std::filesystem::is_directory(target_, ignored) ||
      (!std::filesystem::is_empty(target_, ignored) && !std::filesystem::exists(file, ignored))) {
    throw Error({.what = "something is there that the lab did not make",
                 .where = target_.string(),
                 .hint = "name a folder that does not exist yet"});
  }
  if (!std::filesystem::exists(file, ignored)) return;
  std::filesystem::remove_all(old_, ignored);  // interrupted after them
  const Json stage = parse_json(read_file(file), file.string());
  if (!stage.is_object() || stage.value(kVersionKey, Json()) != Json(kVersion)) {
    throw Error({.what = "this is no stage file of the lab",
                 .where = file.string(),
                 .hint = "name a folder that does not exist yet"});
  }
  const Json facts = stage.value("facts", Json());
  done_ = stage.value("fingerprint", Json()) == Json(fingerprint_) && facts.is_object();
  if (!done_) return;
  facts_ = facts.dump();
  // Left by a run that was killed while it replaced this result, or another one.
  std::filesystem::remove_all(beside_, ignored);
  std::filesystem::remove_all(old_, ignored);
}

Stage::~Stage() {
  std::error_code ignored;
  if (begun_) std::filesystem::remove_all(beside_, ignored);
}

std::filesystem::path Stage::begin(int64_t bytes) {
  std::error_code reason;
  std::filesystem::remove_all(beside_, reason);
  if (reason) fail_on(beside_, "an unfinished folder cannot be removed", reason);
  begun_ = true;
  make_folder(beside_);
  constexpr int64_t kSpare = int64_t{1} << 20;
  const std::filesystem::space_info space = std::filesystem::space(beside_, reason);
  if (!reason && space.available < static_cast<uintmax_t>(bytes + kSpare)) {
    std::filesystem::remove_all(beside_, reason);
    throw Error({.what = "there is too little room on the disk",
                 .where = target_.string(),
                 .expected = fmt::format("{} bytes", bytes + kSpare),
                 .found = fmt::format("{} bytes", space.available),
                 .hint = "free some, or name a folder elsewhere"});
  }
  return beside_;
}

void Stage::commit(const std::string& facts) {
  facts_ = facts;
  const Json stage = {{kVersionKey, kVersion},
                      {"fingerprint", fingerprint_},
                      {"facts", parse_json(facts, "the facts of a stage")}};
  write_file(beside_ / kStageFile, to_text(stage));
  std::error_code reason;
  // The old result goes only now, when the new one is complete, and in one step.
  std::filesystem::remove_all(old_, reason);
  if (!reason && is_stage(target_)) std::filesystem::rename(target_, old_, reason);
  if (reason) fail_on(target_, "the old result cannot be replaced", reason);
  std::filesystem::rename(beside_, target_, reason);
  if (reason) {
    std::error_code ignored;
    std::filesystem::rename(old_, target_, ignored);
    fail_on(target_, "the result cannot be moved to its place", reason);
  }
  begun_ = false;
  done_ = true;
  std::filesystem::remove_all(old_, reason);
}

}  // namespace palimpsest::lab
