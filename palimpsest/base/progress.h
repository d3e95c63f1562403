// Progress of long work. The library only counts. The calling program chooses the display: on a
// terminal a bar with the rate and the time left, elsewhere a plain line now and then, or nothing.
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
  int64_t total = 0;  // 0: unknown
  double seconds = 0;
  bool finished = false;
  std::string note = {};  // details of the work: "loss 1.83"
};

// One line of text: "scoring  120/400  30%  24.1/s  12 s left"; a note goes behind the label.
std::string describe(const ProgressState& state);

class ProgressDisplay {
 public:
  virtual ~ProgressDisplay() = default;
  // The least time between two calls of show(); the first comes after that time too, so that short
  // work shows nothing.
  virtual double interval_seconds() const = 0;
  virtual void show(const ProgressState& state) = 0;
};

// A bar that is redrawn in place if `stream` is a terminal, else a line every 30 s. The stream is
// not closed.
std::unique_ptr<ProgressDisplay> progress_on(std::FILE* stream);

// Passes each state to a callback, at most once per `interval_seconds`. The callback is called from
// the thread that does the work.
std::unique_ptr<ProgressDisplay> progress_to(std::function<void(const ProgressState&)> callback,
                                             double interval_seconds = 0.2);

// One piece of work. Must not be shared between threads.
class Progress {
 public:
  // `display` may be null: then nothing is shown. It must outlive this object.
  Progress(ProgressDisplay* display, std::string label, int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(int64_t steps);
  // Sets the note, which appears the next time something is shown.
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
