#include "palimpsest/evidence/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/sha256.h"
#include "palimpsest/base/internal/table.h"
#include "palimpsest/evidence/internal/pack_listing.h"
#include "palimpsest/evidence/internal/recompute.h"
#include "palimpsest/evidence/provenance.h"
#include "palimpsest/report/internal/written_results.h"

namespace palimpsest::evidence {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAccidents =
    "This check finds accidents, not forgery: whoever changes a file on purpose can change its "
    "hash, too. Have the digest signed or deposited elsewhere if that matters.";

void compare_files(const fs::path& folder, const Provenance& provenance,
                   const VerifyContext& context, PackCheck& check) {
  const std::vector<std::string> present = list_files(folder);
  int64_t total = 0;
  // What the file says may be anything.
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const HashedFile& file : provenance.files) total += std::min(file.bytes, kMost - total);
  Progress progress(context.display, "hashing, in bytes", total);
  for (const HashedFile& file : provenance.files) {
    if (!std::ranges::binary_search(present, file.name)) {
      check.missing.push_back(file.name);
    } else if (sha256_of_file(folder / file.name, {.stop = context.stop, .progress = &progress}) !=
               file.sha256) {
      check.changed.push_back(file.name);
    }
  }
  for (const std::string& name : present) {
    if (std::ranges::find(provenance.files, name, &HashedFile::name) == provenance.files.end())
      check.added.push_back(name);
  }
}

// What nothing here computes again.
void list_not_recomputed(const Provenance& provenance, PackCheck& check) {
  const bool ran_models = !provenance.computing.empty();
  if (provenance.kind == "mia") {
    check.not_recomputed.push_back(
        "report.html and figures/, which `palimpsest report` draws from mia.json; they were "
        "checked by their hashes only");
    if (ran_models) {
      check.not_recomputed.push_back(
          "traces/, which need the models and data that provenance.json names with their hashes");
    }
  } else {
    check.not_recomputed.push_back(
        fmt::format("the results of `palimpsest {}`; all files were checked by their hashes only",
                    provenance.kind));
  }
}

std::string heading(const PackCheck& check, const std::string& folder) {
  if (!check.matches()) return fmt::format("{}: this differs from what was written.\n", folder);
  return fmt::format("{}: all {} files are as they were written.\n", folder, check.files);
}

}  // namespace

bool PackCheck::matches() const {
  return !digest.empty() && changed.empty() && missing.empty() && added.empty() &&
         failures.empty() &&
         std::ranges::all_of(recomputed, [](const Recomputed& one) { return one.equal; });
}

PackCheck verify_pack(const fs::path& folder, const VerifyContext& context) {
  const fs::path file = folder / report::kProvenanceFile;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {
    throw Error({.what = fmt::format("the folder has no {}", report::kProvenanceFile),
                 .where = folder.string(),
                 .hint = "give a folder that `mia --out`, `eval` or `report --out` finished"});
  }
  PackCheck check;
  Provenance provenance;
  const std::string text = read_file(file);
  try {
    provenance = provenance_from_text(text, report::kProvenanceFile);
  } catch (const Error& error) {
    check.changed.emplace_back(report::kProvenanceFile);
    check.failures.push_back(fmt::format("{}; so the other files cannot be checked", error.what()));
    return check;
  }
  check.digest = sha256_of(text);
  check.files = provenance.files.size();
  compare_files(folder, provenance, context, check);
  if (provenance.kind == "mia") recompute_audit(folder, provenance, context, check);
  list_not_recomputed(provenance, check);
  return check;
}

std::string check_to_text(const PackCheck& check, const std::string& folder) {
  std::string text = heading(check, folder);
  const auto add = [&](const char* title, const std::vector<std::string>& lines) {
    for (const std::string& line : lines)
      text += wrapped(fmt::format("{}: {}", title, line), 100, 2);
  };
  add("changed", check.changed);
  add("missing", check.missing);
  add("added", check.added);
  for (const Recomputed& one : check.recomputed) {
    text += fmt::format("computed again from the traces: {}: {}\n", one.what,
                        one.equal ? "the same" : "DIFFERENT");
  }
  add("failed", check.failures);
  add("not computed again", check.not_recomputed);
  if (check.matches()) text += fmt::format("digest of the pack (SHA-256): {}\n", check.digest);
  return text + wrapped(kAccidents, 100, 0);
}

std::string check_to_json(const PackCheck& check, const std::string& folder) {
  Json recomputed = Json::array();
  for (const Recomputed& one : check.recomputed)
    recomputed.push_back({{"what", one.what}, {"equal", one.equal}});
  return to_text({{"folder", folder},
                  {"matches", check.matches()},
                  {"digest", check.digest.empty() ? Json() : Json(check.digest)},
                  {"files", check.files},
                  {"changed", check.changed},
                  {"missing", check.missing},
                  {"added", check.added},
                  {"recomputed", std::move(recomputed)},
                  {"failures", check.failures},
                  {"not_recomputed", check.not_recomputed},
                  {"note", kAccidents}});
}

}  // namespace palimpsest::evidence
