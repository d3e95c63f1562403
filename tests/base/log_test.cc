#include "palimpsest/base/log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "palimpsest/base/internal/log_format.h"

namespace palimpsest {
namespace {

// A message that is on its way keeps the logger that it was given to: none is lost or torn.
TEST(LogTest, TheLoggerMayBeReplacedWhileOthersLog) {
  constexpr int kThreads = 3;
  constexpr int kMessages = 5'000;
  log_to_standard_error(LogLevel::kInfo, LogColor::kNever);
  testing::internal::CaptureStderr();
  {
    std::atomic<int> logging = kThreads;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kMessages; ++i) log_info("{} of thread {}", i, thread);
        --logging;
      });
    }
    while (logging > 0) log_to_standard_error(LogLevel::kInfo, LogColor::kNever);
  }
  std::istringstream shown(testing::internal::GetCapturedStderr());
  log_to_standard_error(LogLevel::kSilent);
  std::multiset<std::string> found;
  for (std::string line; std::getline(shown, line);) found.insert(line);
  std::multiset<std::string> expected;
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int i = 0; i < kMessages; ++i)
      expected.insert(fmt::format("info: {} of thread {}", i, thread));
  }
  EXPECT_TRUE(found == expected) << found.size();
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
