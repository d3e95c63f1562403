#include "palimpsest/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace palimpsest {
namespace {

std::string describe_seconds(double seconds) {
  const int64_t whole = std::llround(seconds);
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 7200) return fmt::format("{} min", (whole + 30) / 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

// Redraws the line of a terminal; when the work is finished, clears it.
void draw_bar(const ProgressState& state, std::FILE* stream) {
  std::string line = "\r\033[K";
  if (!state.finished) {
    if (state.total > 0) {
      constexpr int64_t kWidth = 24;
      const auto filled =
          static_cast<size_t>(std::clamp(kWidth * state.done / state.total, int64_t{0}, kWidth));
      line += "[" + std::string(filled, '#') + std::string(kWidth - filled, '.') + "] ";
    }
    line += describe(state);
  }
  std::fputs(line.c_str(), stream);
  std::fflush(stream);
}

void write_line(const ProgressState& state, std::FILE* stream) {
  std::fputs((describe(state) + "\n").c_str(), stream);
  std::fflush(stream);
}

class Callback : public ProgressDisplay {
 public:
  Callback(std::function<void(const ProgressState&)> callback, double interval_seconds)
      : callback_(std::move(callback)), interval_seconds_(interval_seconds) {}
  double interval_seconds() const override { return interval_seconds_; }
  void show(const ProgressState& state) override { callback_(state); }

 private:
  std::function<void(const ProgressState&)> callback_;
  double interval_seconds_;
};

}  // namespace

std::string describe(const ProgressState& state) {
  std::string text = state.label;
  if (!state.note.empty()) text += "  " + state.note;
  text += state.total > 0
              ? fmt::format("  {}/{}  {}%", state.done, state.total, 100 * state.done / state.total)
              : fmt::format("  {}", state.done);
  if (state.seconds <= 0 || state.done == 0) return text;
  const double rate = static_cast<double>(state.done) / state.seconds;
  text += rate >= 100 ? fmt::format("  {:.0f}/s", rate) : fmt::format("  {:.3g}/s", rate);
  if (state.finished) {
    text += "  done in " + describe_seconds(state.seconds);
  } else if (state.total > state.done) {
    text += fmt::format("  {} left",
                        describe_seconds(static_cast<double>(state.total - state.done) / rate));
  }
  return text;
}

std::unique_ptr<ProgressDisplay> progress_on(std::FILE* stream) {
  const bool is_terminal = ::isatty(::fileno(stream)) != 0;
  const auto show = is_terminal ? draw_bar : write_line;
  return progress_to([=](const ProgressState& state) { show(state, stream); },
                     is_terminal ? 0.2 : 30);
}

std::unique_ptr<ProgressDisplay> progress_to(std::function<void(const ProgressState&)> callback,
                                             double interval_seconds) {
  return std::make_unique<Callback>(std::move(callback), interval_seconds);
}

Progress::Progress(ProgressDisplay* display, std::string label, int64_t total)
    : display_(display), start_(Clock::now()), next_show_(start_) {
  state_.label = std::move(label);
  state_.total = total;
  if (display_ != nullptr) {
    next_show_ += std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(display_->interval_seconds()));
  }
}

Progress::~Progress() {
  if (!shown_) return;
  state_.finished = true;
  try {
    show(Clock::now());
  } catch (...) {
    // The work is done, and a display that fails is no reason to lose it.
  }
}

void Progress::advance(int64_t steps) {
  state_.done += steps;
  if (display_ == nullptr) return;
  const Clock::time_point now = Clock::now();
  if (now < next_show_) return;
  show(now);
}

void Progress::show(Clock::time_point now) {
  state_.seconds = std::chrono::duration<double>(now - start_).count();
  shown_ = false;  // a display that throws is not asked again
  display_->show(state_);
  shown_ = true;
  next_show_ = now + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(display_->interval_seconds()));
}

}  // namespace palimpsest
