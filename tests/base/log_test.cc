#include "palimpsest/base/log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace palimpsest {
namespace {

// A message that is on its way keeps the logger that it was given to. Silent ones: nothing is shown.
TEST(LogTest, TheLoggerMayBeReplacedWhileOthersLog) {
  log_to_standard_error(LogLevel::kSilent);
  constexpr int kReplacements = 20'000;
  std::atomic<bool> done = false;
  std::atomic<int64_t> messages = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        do {
          log_info("number {}", messages.fetch_add(1));
        } while (!done);
      });
    }
    for (int i = 0; i < kReplacements; ++i) log_to_standard_error(LogLevel::kSilent);
    done = true;
  }
  EXPECT_GE(messages, 3);
}

}  // namespace
}  // namespace palimpsest
