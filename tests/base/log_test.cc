#include "palimpsest/base/log.h"
#include "palimpsest/base/internal/log_format.h"

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

TEST(LogTest, WarningsOfThisThreadAreCaptured) {
  log_to_standard_error(LogLevel::kSilent);
  log_warning("before");
  const WarningCapture outer;
  log_warning("a {}", 1);
  log_info("no warning");
  {
    const WarningCapture inner;
    log_warning("b");
    std::jthread([] { log_warning("of another thread"); }).join();
    EXPECT_EQ(inner.warnings(), std::vector<std::string>{"b"});
  }
  log_warning("c");
  EXPECT_EQ(outer.warnings(), (std::vector<std::string>{"a 1", "c"}));
}

}  // namespace
}  // namespace palimpsest
