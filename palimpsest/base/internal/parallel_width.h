// How many threads parallel_for() really used: for tests that a thread option reaches it.
#pragma once

#include <cstdint>

namespace palimpsest {

// The most that a call from this thread has used since the number was last set to 0.
int64_t& widest_parallel_for();

}  // namespace palimpsest
