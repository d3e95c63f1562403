// The end of a command that did its work and whose outcome is not success: `verify` found a
// difference (status 1), or --fail-on or --require refuses the answer (status 3, see gates.h). The
// message is one sentence.
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
