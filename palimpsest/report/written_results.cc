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

// The file's SHA-256 in provenance.json; empty if it has none.
std::string recorded_hash(const std::filesystem::path& folder, const std::string& file) {
  const std::filesystem::path path = folder / kWrittenLast;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  const Json document = parse_json(read_file(path), path.string());
  const Json* files = find_member(document, "files");
  if (member_text(document, "kind") != "mia" || files == nullptr || !files->is_array()) return "";
  std::string found;
  for (const Json& entry : *files) {
    const std::string hash = member_text(entry, "sha256");
    if (!hash.empty() && member_text(entry, "name") == file) found = hash;
  }
  return found;
}

void require_same(const std::filesystem::path& path, const std::string& recorded,
                  const std::string& sha256) {
  if (recorded == sha256) return;
  std::error_code ignored;
  const bool is_unfinished = std::filesystem::exists(path.parent_path() / kUnfinishedNote, ignored);
  throw Error(
      {.what = fmt::format("this is not the file whose hash {} has: {}", kWrittenLast,
                           is_unfinished ? "an audit is writing to this folder, or was cut short"
                                         : "it was changed after it was written"),
       .where = path.string(),
       .hint = "run the audit again, or restore the file"});
}

}  // namespace

void require_written(const std::filesystem::path& folder, const std::string& file,
                     std::string_view bytes) {
  const std::string recorded = recorded_hash(folder, file);
  if (!recorded.empty()) require_same(folder / file, recorded, sha256_of(bytes));
}

void require_written(const std::filesystem::path& folder, const std::string& file) {
  const std::string recorded = recorded_hash(folder, file);
  if (!recorded.empty()) require_same(folder / file, recorded, sha256_of_file(folder / file));
}

}  // namespace palimpsest::report
