#include "palimpsest/base/error.h"

#include <fmt/format.h>

#include <cerrno>

namespace palimpsest {
namespace {

std::string sentence(const ErrorParts& parts) {
  std::string text;
  if (!parts.where.empty()) text += parts.where + ": ";
  text += parts.what;
  if (!parts.expected.empty() && !parts.found.empty()) {
    text += fmt::format(" (expected {}, found {})", parts.expected, parts.found);
  } else if (!parts.expected.empty()) {
    text += fmt::format(" (expected {})", parts.expected);
  } else if (!parts.found.empty()) {
    text += fmt::format(" (found {})", parts.found);
  }
  if (!parts.hint.empty()) text += "; " + parts.hint;
  return text;
}

}  // namespace

Error::Error(const ErrorParts& parts) : std::runtime_error(sentence(parts)), parts_(parts) {}

Error Error::located(const std::string& where) const {
  if (where.empty()) return *this;
  ErrorParts parts = parts_;
  parts.where = parts.where.empty() ? where : where + ": " + parts.where;
  return Error(parts);
}

bool is_machine_failure(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EIO:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return true;
    default:
      return false;
  }
}

void check_failed(const char* condition, const char* file, int line) {
  throw BugError(fmt::format("{}:{}: check failed: {}", file, line, condition));
}

}  // namespace palimpsest
