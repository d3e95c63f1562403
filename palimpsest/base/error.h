// How Palimpsest fails. Three cases are kept apart:
//   Error        the call or the input is wrong; the user can mend it (exit status 2),
//   SystemError  the run failed for a reason outside the input: disk full, no memory (status 1),
//   BugError     a broken invariant of our own, thrown by PALIMPSEST_CHECK; no input reaches it.
// A fourth exception is not a failure: Stopped is thrown if the caller's std::stop_token requested
// it. Nothing here prints or ends the process; only palimpsest/cli does that.
#pragma once

#include <concepts>
#include <stdexcept>
#include <string>

namespace palimpsest {

// The parts of an error message. Only `what` is required; the message is one sentence:
//   "{where}: {what} (expected {expected}, found {found}); {hint}"
struct ErrorParts {
  std::string what;      // what is wrong: "the line is not valid JSON"
  std::string where;     // file, line, key or option: "data.jsonl:17"
  std::string expected;  // what would have been right
  std::string found;     // what was there instead
  std::string hint;      // what to do about it
};

class Error : public std::runtime_error {
 public:
  explicit Error(const ErrorParts& parts);
  // A template, so that Error({.what = …}) can only mean ErrorParts.
  template <std::convertible_to<std::string> Text>
  explicit Error(const Text& what) : Error(ErrorParts{.what = what}) {}

  // The same error with a location put in front. Errors are often found in code that does not know
  // the name of the file; its callers add the location.
  Error located(const std::string& where) const;

 private:
  ErrorParts parts_;
};

class SystemError : public std::runtime_error {
 public:
  // `code` is the system's reason (errno); 0: unknown.
  explicit SystemError(const std::string& message, int code = 0)
      : std::runtime_error(message), code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

// Whether a call failed because the machine lacks something (room on the disk, memory, open files) or is
// broken, so that it is a SystemError. Otherwise the place was wrong, which the user can mend: an Error.
bool is_machine_failure(int code);

class BugError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Thrown when a run is stopped on request. Finished work that has a journal is kept there, and the
// same call resumes from it.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("the run was stopped") {}
};

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace palimpsest

// An invariant that holds whatever the input is. Not for checking input: throw Error for that.
#define PALIMPSEST_CHECK(condition) \
  ((condition) ? void(0) : ::palimpsest::check_failed(#condition, __FILE__, __LINE__))
