#include "palimpsest/report/internal/written_results.h"

#include <fmt/format.h>

#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/sha256.h"
#include "palimpsest/report/internal/json_members.h"

namespace palimpsest::report {
namespace {

// Both as the module evidence, which writes them, calls them.
constexpr const char* kWrittenLast = "provenance.json";
constexpr const char* kUnfinishedNote = ".palimpsest.start";

}  // namespace

WrittenResults::WrittenResults(std::filesystem::path folder) : folder_(std::move(folder)) {
  const std::filesystem::path path = folder_ / kWrittenLast;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return;
  const Json document = parse_json(read_file(path), path.string());
  const Json* files = find_member(document, "files");
  if (member_text(document, "kind") != "mia" || files == nullptr || !files->is_array()) return;
  for (const Json& file : *files) {
    const std::string hash = member_text(file, "sha256");
    if (!hash.empty()) hashes_[member_text(file, "name")] = hash;
  }
}

void WrittenResults::require_unchanged(const std::string& file, std::string_view bytes) const {
  if (hashes_.contains(file)) require_same(file, sha256_of(bytes));
}

void WrittenResults::require_unchanged(const std::string& file) const {
  if (hashes_.contains(file)) require_same(file, sha256_of_file(folder_ / file));
}

void WrittenResults::require_same(const std::string& file, const std::string& sha256) const {
  if (hashes_.at(file) == sha256) return;
  std::error_code ignored;
  const bool is_unfinished = std::filesystem::exists(folder_ / kUnfinishedNote, ignored);
  throw Error(
      {.what = fmt::format("this is not the file whose hash {} has: {}", kWrittenLast,
                           is_unfinished ? "an audit is writing to this folder, or was cut short"
                                         : "it was changed after it was written"),
       .where = (folder_ / file).string(),
       .hint = "run the audit again, or restore the file"});
}

}  // namespace palimpsest::report
