#include "palimpsest/report/internal/written_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/sha256.h"
#include "palimpsest/report/internal/json_members.h"

namespace palimpsest::report {
namespace {

// The document; null if there is none, or if it is that of another program.
Json read_provenance(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return {};
  Json document = parse_json(read_file(path), path.string());
  if (!document.is_object()) {
    throw Error({.what = "this does not say where the results come from",
                 .where = path.string(),
                 .expected = "an object",
                 .found = describe(document),
                 .hint = "restore the file, or make the results again"});
  }
  if (!document.contains(kProvenanceKey)) return {};
  require_provenance_version(document, path.string());
  if (provenance_digest(document) == member_text(document, kDigestKey)) return document;
  throw Error({.what = "the file was changed after it was written: its digest does not match",
               .where = path.string(),
               .hint = "restore the file, or make the results again"});
}

// Whether the numbers of a report would be others without the file.
bool holds_numbers(std::string_view file) {
  if (file == "mia.json") return true;
  constexpr std::array<std::string_view, 3> kEndings = {"_EVAL.json", "_SUMMARY.json", "_RUN.json"};
  for (const std::string_view ending : kEndings) {
    if (file.ends_with(ending) && file.find('/') == std::string_view::npos) return true;
  }
  return false;
}

// The entries of a list; none if there is no list.
Json entries_of(const Json& object, const char* key) {
  const Json* list = find_member(object, key);
  return list != nullptr && list->is_array() ? *list : Json::array();
}

}  // namespace

void require_provenance_version(const Json& document, const std::string& where) {
  require_version(palimpsest::require(document, kProvenanceKey, where), kProvenanceVersion,
                  "provenance", where);
}

std::string provenance_digest(Json document) {
  document.erase(kDigestKey);
  return sha256_of(to_text(document));
}

std::set<std::string> files_in_folder(const std::filesystem::path& folder) {
  std::set<std::string> files;
  std::error_code failed;
  std::error_code ignored;  // what cannot be looked at is no file of results
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->is_regular_file(ignored)) files.insert(entry->path().filename().string());
  }
  if (!failed) return files;
  throw Error({.what = "the folder cannot be read: " + failed.message(),
               .where = folder.string(),
               .hint = "give a folder of results that you may read"});
}

WrittenResults::WrittenResults(std::filesystem::path folder) : folder_(std::move(folder)) {
  const Json document = read_provenance(folder_ / kProvenanceFile);
  if (member_text(document, "kind") == "eval") run_ = "evaluation";
  const Json left_out = entries_of(document, "left_out");
  texts_are_left_out_ = std::ranges::find(left_out, "texts") != left_out.end();
  for (const Json& entry : entries_of(document, "files")) {
    const std::string hash = member_text(entry, "sha256");
    if (!hash.empty()) hashes_[member_text(entry, "name")] = hash;
  }
  for (const Json& entry : entries_of(document, "inputs")) {
    const Json files = entries_of(entry, "files");
    if (files.size() == 1)
      inputs_[member_text(entry, "role")] = {member_text(entry, "sha256"),
                                             member_number(files[0], "bytes")};
  }
}

bool WrittenResults::is_input(const std::string& role, const std::filesystem::path& file) const {
  const auto found = inputs_.find(role);
  if (found == inputs_.end()) return false;
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(file, failed);
  const bool has_size = !failed && found->second.bytes == static_cast<double>(bytes);
  return has_size && sha256_of_file(file) == found->second.sha256;
}

void WrittenResults::require(const std::string& file, std::string_view bytes) const {
  if (hashes_.contains(file)) require_same(file, sha256_of(bytes));
}

void WrittenResults::require(const std::string& file) const {
  if (hashes_.contains(file)) require_same(file, sha256_of_file(folder_ / file));
}

void WrittenResults::require_present(const std::set<std::string>& files) const {
  for (const auto& [name, hash] : hashes_) {
    if (!holds_numbers(name) || files.contains(name)) continue;
    throw Error({.what = fmt::format("the file is missing, and {} has its hash", kProvenanceFile),
                 .where = (folder_ / name).string(),
                 .hint = fmt::format("restore the file, or run the {} again", run_)});
  }
}

std::vector<std::string> WrittenResults::without_hash(const std::set<std::string>& files) const {
  std::vector<std::string> found;
  for (const std::string& file : files) {
    if (!hashes_.empty() && holds_numbers(file) && !hashes_.contains(file)) found.push_back(file);
  }
  return found;
}

void WrittenResults::require_same(const std::string& file, const std::string& sha256) const {
  if (hashes_.at(file) == sha256) return;
  std::error_code ignored;
  const bool is_unfinished = std::filesystem::exists(folder_ / kStartNote, ignored);
  throw Error(
      {.what = fmt::format(
           "this is not the file whose hash {} has: {}", kProvenanceFile,
           is_unfinished ? fmt::format("an {} is writing to this folder, or was cut short", run_)
                         : "it was changed after it was written"),
       .where = (folder_ / file).string(),
       .hint = fmt::format("run the {} again, or restore the file", run_)});
}

}  // namespace palimpsest::report
