// What provenance.json of a folder says about the results beside it. A run writes this file last,
// with the SHA-256 of every result, and an evaluation removes it before it replaces results. So a
// result that was changed later, or that belongs to an audit that was cut short, is noticed before
// its numbers are shown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/base/internal/json.h"

namespace palimpsest::report {

// The form of the file, which the module evidence writes.
inline constexpr int64_t kProvenanceVersion = 1;
inline constexpr const char* kProvenanceFile = "provenance.json";
inline constexpr const char* kProvenanceKey = "palimpsest_provenance";  // of the version
inline constexpr const char* kDigestKey = "digest";
// Runs keep this file in the folder until they have written provenance.json.
inline constexpr const char* kStartNote = ".palimpsest.start";

// Throws Error if the document states no version, or a newer one. `where` names the file.
void require_provenance_version(const Json& document, const std::string& where);
// The SHA-256 of all members but the digest itself, by which a change in the file is noticed.
std::string provenance_digest(Json document);

// The names of the files in a folder of results. Throws Error if the folder cannot be read.
std::set<std::string> files_in_folder(const std::filesystem::path& folder);

class WrittenResults {
 public:
  // No file has a hash.
  WrittenResults() = default;
  // Those of the folder. If it has no provenance.json, or that of another program, no file has a
  // hash. Throws Error if provenance.json is not a JSON object, is of a newer version, or was
  // changed.
  explicit WrittenResults(std::filesystem::path folder);

  // Whether the run left the texts out of its results on request.
  bool texts_are_left_out() const { return texts_are_left_out_; }
  // Whether the input in that role has a SHA-256.
  bool has_input(const std::string& role) const { return inputs_.contains(role); }
  // Whether the run read this file in that role ("forget traces"): whether it has the SHA-256 of
  // the input.
  bool is_input(const std::string& role, const std::filesystem::path& file) const;
  // Whether any file has a hash. Then every file that the run wrote has one.
  bool lists_results() const { return !hashes_.empty(); }
  // Whether the file has a hash. Names are relative to the folder.
  bool has_hash(const std::string& file) const { return hashes_.contains(file); }
  // Throws Error if the file has a hash and these bytes, its content, have another one.
  void require(const std::string& file, std::string_view bytes) const;
  // The same for a file of any size, which is read for it. It may be missing if it has no hash.
  void require(const std::string& file) const;
  // Throws Error if mia.json, or a log, a summary or a record of an evaluation, has a hash and is
  // not among the files: the report would show other numbers, or lack some, without it.
  void require_present(const std::set<std::string>& files) const;
  // Of the files, those of the same kinds that have no hash although others have one.
  std::vector<std::string> without_hash(const std::set<std::string>& files) const;

 private:
  void require_same(const std::string& file, const std::string& sha256) const;

  std::filesystem::path folder_;
  std::string run_ = "audit";  // what wrote the results, in messages
  bool texts_are_left_out_ = false;
  std::map<std::string, std::string> hashes_;
  struct Input {
    std::string sha256;
    std::optional<double> bytes;  // spares the hash of most other files
  };
  std::map<std::string, Input> inputs_;  // of a single file each, by role
};

}  // namespace palimpsest::report
