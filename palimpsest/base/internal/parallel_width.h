// Counts the threads that parallel_for() and WorkerPool ask for, so that tests can check that a
// thread option reaches them.
#pragma once

#include <cstdint>

namespace palimpsest {

// The largest number of threads that one call from this thread, together with the calls inside its
// body, has asked for since the number was last set to 0.
int64_t& widest_parallel_for();

}  // namespace palimpsest
