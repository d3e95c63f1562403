// Progress of long work. The library only counts; whoever runs it chooses the display: a bar with
// rate and time left on a terminal, a plain line now and then elsewhere, or nothing.
//
//   Progress progress(display, "scoring", 400);
//   for (…) progress.advance(1);
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
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
  std::string note = {};  // how the work goes: "loss 1.83"
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

// A bar that is redrawn in place if `stream` is a terminal, else a line every 30 s. The stream
// stays the caller's.
std::unique_ptr<ProgressDisplay> progress_on(std::FILE* stream);

// One piece of work. Not for sharing between threads.
class Progress {
 public:
  // `display` may be null: then nothing is shown. It must outlive this object.
  Progress(ProgressDisplay* display, std::string label, int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(int64_t steps);
  // Seen the next time something is shown.
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
