// The messages of an audit. They are passed to the caller at once, and warnings are also kept for
// the result.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/audit/audit.h"
#include "palimpsest/base/internal/short_name.h"

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

  // A path of the input. Results name it by its last part: they must not depend on where it lies.
  void add_input(const std::filesystem::path& path) {
    if (!path.empty()) inputs_.push_back(path.string());
  }
  // The notes so far, as results state them.
  std::vector<std::string> without_folders() const {
    std::vector<std::string> notes = notes_;
    for (std::string& note : notes) {
      for (const std::string& path : inputs_) {
        const std::string name = short_name(path);
        for (size_t at = note.find(path); at != std::string::npos;
             at = note.find(path, at + name.size()))
          note.replace(at, path.size(), name);
      }
    }
    return notes;
  }

  std::vector<std::string> take() { return std::move(notes_); }

 private:
  const AuditContext& context_;
  std::vector<std::string> notes_;
  std::vector<std::string> inputs_;
};

}  // namespace palimpsest::audit
