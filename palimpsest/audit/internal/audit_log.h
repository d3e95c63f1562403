// The messages of an audit. They are passed to the caller at once, and warnings are also kept for
// the result.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/audit/audit.h"

namespace palimpsest::audit {

class AuditLog {
 public:
  explicit AuditLog(const AuditContext& context) : context_(context) {}

  template <class... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) {
    if (context_.log)
      context_.log(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
  }
  void warn(const std::string& text) {
    if (context_.log) context_.log(LogLevel::kWarning, text);
    notes_.push_back(text);
  }
  // Keeps notes that were already logged elsewhere, or that the report states itself. Each sentence
  // is kept once.
  void keep(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) {
      if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
    }
  }

  // What results call a model or a data set that was given, wherever it lies.
  void add_input(const std::filesystem::path& path, const std::string& name);
  // A folder that the input led to, such as that of an adapter's base model. Unless it was given
  // itself, results call it by its last part.
  void add_folder(const std::filesystem::path& folder);
  // The notes so far with the names of these paths in place of the paths.
  std::vector<std::string> without_folders() const;

  std::vector<std::string> take() { return std::move(notes_); }

 private:
  const AuditContext& context_;
  std::vector<std::string> notes_;
  struct LongestFirst {
    bool operator()(const std::string& a, const std::string& b) const {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    }
  };
  // path without a slash at its end → name; a path comes before those that it begins with
  std::map<std::string, std::string, LongestFirst> names_;
};

}  // namespace palimpsest::audit
