#include "palimpsest/cli/interruption.h"

#include <array>
#include <atomic>
#include <csignal>

#include "palimpsest/base/error.h"
#include "palimpsest/cli/exit_status.h"

namespace palimpsest::cli {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};

// What a handler may touch. Both are set before the handlers are installed.
std::atomic<std::stop_source*> stop_source = nullptr;
std::atomic<int> last_signal = 0;
static_assert(std::atomic<std::stop_source*>::is_always_lock_free);
static_assert(std::atomic<int>::is_always_lock_free);

struct sigaction default_action() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  return action;
}

// request_stop() does no more than set a bit, as long as nobody registers a std::stop_callback for
// the token: callbacks would run here, in the handler, and would need a lock. Nothing in Palimpsest
// registers one; work looks at its token from time to time.
void request_stop(int signal) {
  const struct sigaction usual = default_action();
  for (const int one : kSignals)
    ::sigaction(one, &usual, nullptr);  // the second signal ends the process
  last_signal = signal;
  if (std::stop_source* source = stop_source) source->request_stop();
}

// While it lives, signals request a stop.
class SignalHandlers {
 public:
  SignalHandlers() {
    last_signal = 0;
    stop_source = &source_;
    struct sigaction action = {};
    action.sa_handler = request_stop;
    action.sa_flags =
        SA_RESTART;  // the work that goes on to its next stop must not see broken calls
    sigemptyset(&action.sa_mask);
    for (const int signal : kSignals) sigaddset(&action.sa_mask, signal);
    for (size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
    }
  }
  ~SignalHandlers() {
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
    stop_source = nullptr;
  }
  SignalHandlers(const SignalHandlers&) = delete;
  SignalHandlers& operator=(const SignalHandlers&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::array<struct sigaction, kSignals.size()> before_ = {};
};

const char* message_of(AfterStop after) {
  return after == AfterStop::kResumes
             ? "interrupted; finished work is kept; the same command continues from there"
             : "interrupted; nothing was written; the same command starts over";
}

}  // namespace

void interruptible(AfterStop after, const std::function<void(std::stop_token)>& work) {
  const SignalHandlers handlers;
  try {
    work(handlers.token());
  } catch (const Stopped&) {
    throw ExitStatus(128 + last_signal, message_of(after));
  }
}

}  // namespace palimpsest::cli
