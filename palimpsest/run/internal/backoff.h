// Waits between two looks for a message: shortly at first, since the answer to a message comes
// soon, and then longer, since a batch may take minutes. A process that waits leaves its core to
// those that compute.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace palimpsest::run {

class Backoff {
 public:
  void reset() { pause_ = kShortest; }
  void wait() {
    std::this_thread::sleep_for(pause_);
    pause_ = std::min(pause_ * 2, kLongest);
  }

 private:
  static constexpr std::chrono::microseconds kShortest{20};
  static constexpr std::chrono::microseconds kLongest{2000};
  std::chrono::microseconds pause_ = kShortest;
};

}  // namespace palimpsest::run
