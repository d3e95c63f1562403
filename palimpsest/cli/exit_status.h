// The end of a command whose outcome is neither success nor an error: `verify` found a difference
// (status 1), --fail-on or --require refuses the answer (status 3, see gates.h), or a signal
// stopped it (status 130 or 143, see interruption.h). The message is one sentence.
#pragma once

#include <stdexcept>
#include <string>

namespace palimpsest::cli {

class ExitStatus : public std::runtime_error {
 public:
  ExitStatus(int status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace palimpsest::cli
