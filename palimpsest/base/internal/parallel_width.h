// Counts the threads that parallel_for() really used, so that tests can check that a thread option
// reaches it.
#pragma once

#include <cstdint>

namespace palimpsest {

// The largest number of threads that a call from this thread has used since the number was last set
// to 0.
int64_t& widest_parallel_for();

}  // namespace palimpsest
