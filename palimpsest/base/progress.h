// Reports the progress of long work. The library only counts; the calling program chooses the
// display. On a terminal that is a bar with the rate and the time left, elsewhere a plain line
// every 30 s. The program may also pass no display.
//
//   Progress progress(display, "scoring", 400);
//   for (…) progress.advance(1);
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace palimpsest {

struct ProgressState {
  std::string label;
  int64_t done = 0;
  int64_t total = 0;  // 0 if unknown
  double seconds = 0;
  // True in the last state, which is shown when the work ends, also if it ends with an exception.
  // There is no such state if no state was shown before.
  bool finished = false;
  std::string note = {};  // details for the reader: "loss 1.83"
};

// One line of text: "scoring  120/400  30%  24.1/s  12 s left". A note follows the label.
std::string describe(const ProgressState& state);

class ProgressDisplay {
 public:
  virtual ~ProgressDisplay() = default;
  // The least time between two calls of show(). The first call also waits that long, so that short
  // work shows nothing.
  virtual double interval_seconds() const = 0;
  // Called on the thread that does the work, which is the one that called the library. If show()
  // throws, the work ends, the exception reaches the caller of the library, and show() is not
  // called again. Only the last call (`finished`) comes from a destructor, so an exception of that
  // call is dropped.
  virtual void show(const ProgressState& state) = 0;
};

// Redraws a bar in place if `stream` is a terminal; otherwise writes a line every 30 s. The stream
// is not closed.
std::unique_ptr<ProgressDisplay> progress_on(std::FILE* stream);

// Passes each state to a callback, at most once per `interval_seconds`. The callback may throw, as
// ProgressDisplay::show() says.
std::unique_ptr<ProgressDisplay> progress_to(std::function<void(const ProgressState&)> callback,
                                             double interval_seconds = 0.2);

// Counts one piece of work and shows it on the display. Must not be shared between threads.
class Progress {
 public:
  // `display` may be null; then nothing is shown. It must outlive this object.
  Progress(ProgressDisplay* display, std::string label, int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(int64_t steps);
  // Sets the note. It appears the next time the display shows the state.
  void note(std::string text) { state_.note = std::move(text); }

 private:
  using Clock = std::chrono::steady_clock;
  void show(Clock::time_point now);

  ProgressDisplay* display_;
  ProgressState state_;
  Clock::time_point start_;
  Clock::time_point next_show_;
  bool shown_ = false;
};

}  // namespace palimpsest
