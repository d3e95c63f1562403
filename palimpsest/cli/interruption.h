// What SIGINT and SIGTERM do to commands that work for long: they ask the work to stop at the next place
// where it can, so that what is finished is kept and the user is told how to go on. Commands that are done
// in a moment do not use this, and signals end them as usual. Only one command runs at a time.
#pragma once

#include <functional>
#include <stdexcept>
#include <stop_token>

namespace palimpsest::cli {

// A signal ended the command. The message tells what becomes of its work.
class Interrupted : public std::runtime_error {
 public:
  Interrupted(const char* message, int signal) : std::runtime_error(message), signal_(signal) {}
  // As a shell reports a process that the signal ended: 130 or 143.
  int status() const { return 128 + signal_; }

 private:
  int signal_;
};

// What the same command finds when it is given again.
enum class AfterStop {
  kGoesOn,      // finished parts are kept in files and not done again
  kBeginsAnew,  // nothing was written
};

// Calls work(stop) and throws Interrupted where `stop` made it throw Stopped. The first signal requests the
// stop; a second one ends the process at once. A signal that the process was started to ignore stays
// ignored. Work that is done before it looks at `stop` again counts as done.
void interruptible(AfterStop after, const std::function<void(std::stop_token)>& work);

}  // namespace palimpsest::cli
