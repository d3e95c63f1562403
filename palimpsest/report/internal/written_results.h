// What provenance.json of a folder says about the results beside it. An audit writes this file last,
// with the SHA-256 of every result. So a result that was changed later, or that belongs to an audit
// that was cut short, is noticed before its numbers are shown.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace palimpsest::report {

class WrittenResults {
 public:
  // Reads provenance.json of the folder. If there is none, or if it is not that of an audit, no file
  // has a hash: the results of an evaluation have hashes of their own (run_record.h). Throws Error if
  // the file is not JSON.
  explicit WrittenResults(std::filesystem::path folder);

  // Throws Error if the file has a hash and these bytes, its content, have another one.
  void require_unchanged(const std::string& file, std::string_view bytes) const;
  // The same for a file of any size, which is read for it.
  void require_unchanged(const std::string& file) const;

 private:
  void require_same(const std::string& file, const std::string& sha256) const;

  std::filesystem::path folder_;
  std::map<std::string, std::string> hashes_;  // SHA-256 by the name of the file
};

}  // namespace palimpsest::report
