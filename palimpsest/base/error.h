// The exceptions of Palimpsest. Failures are of three kinds:
//   Error        the call or the input is wrong, and the user can correct it (exit status 2)
//   SystemError  the environment failed: the disk is full, memory ran out (exit status 1)
//   BugError     PALIMPSEST_CHECK found a bug in Palimpsest, or a call that breaks a stated
//                precondition ("must"); no data and no option should cause it
// A fourth exception, Stopped, is not a failure: it ends a run because the caller's std::stop_token
// requested a stop. Nothing here prints or ends the process; only palimpsest/cli does that.
#pragma once

#include <concepts>
#include <stdexcept>
#include <string>

namespace palimpsest {

// The parts of an error message. Only `what` is required. The message is one sentence of this form,
// without the parts that are empty:
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
  // This constructor is a template so that Error({.what = …}) is never ambiguous: it always means
  // ErrorParts.
  template <std::convertible_to<std::string> Text>
  explicit Error(const Text& what) : Error(ErrorParts{.what = what}) {}

  // Returns the same error with a location put in front. Code that finds an error often does not
  // know the file's name, so a caller that knows it adds the location.
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

// Whether `code`, the errno of a failed system call, means that the machine is broken or has run
// out of something (disk space, memory, open files). The caller should then throw SystemError. Any
// other code means that the path was wrong. The user can correct that, so the caller should throw
// Error.
bool is_machine_failure(int code);

class BugError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Ends a run that was stopped on request. Results that are already in the run's journal file are
// kept, and the same call resumes from them.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("the run was stopped") {}
};

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace palimpsest

// Checks an invariant that must hold whatever the input is; throws BugError if it does not. Wrong
// input is not a bug: throw Error for that.
#define PALIMPSEST_CHECK(condition) \
  ((condition) ? void(0) : ::palimpsest::check_failed(#condition, __FILE__, __LINE__))
