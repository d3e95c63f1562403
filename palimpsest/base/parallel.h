// A parallel loop for work whose result does not depend on which thread does it, because every item
// writes only its own result.
#pragma once

#include <cstdint>
#include <functional>

namespace palimpsest {

// Calls body(begin, end) on contiguous pieces of [0, count) from up to `threads` threads (0: one
// for each core; fewer where the system gives no more). Returns when all are done; the first exception
// is passed on.
void parallel_for(int64_t count, int threads, const std::function<void(int64_t, int64_t)>& body);

}  // namespace palimpsest
