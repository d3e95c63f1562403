// The messages of an audit. They are passed to the caller at once, and warnings are also kept for
// the result.
#pragma once

#include <fmt/format.h>

#include <algorithm>
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

  std::vector<std::string> take() { return std::move(notes_); }

 private:
  const AuditContext& context_;
  std::vector<std::string> notes_;
};

}  // namespace palimpsest::audit
