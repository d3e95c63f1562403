// Waits for another thread, but not for ever: a test that would hang fails instead.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace palimpsest {

// Returns as soon as condition() holds, or fails the test after a time that no working one takes.
template <class Condition>
void wait_until(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "what another thread was to do did not happen";
      return;
    }
    std::this_thread::yield();
  }
}

}  // namespace palimpsest
