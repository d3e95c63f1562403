// A parallel loop. It is meant for work in which every item writes only its own result, so that the
// result does not depend on which thread handles which item.
#pragma once

#include <cstdint>
#include <functional>

namespace palimpsest {

// Splits [0, count) into contiguous pieces and calls body(begin, end) for each, on up to `threads`
// threads. 0 means one thread per core. If the system refuses to start so many threads, fewer are
// used. Returns when all pieces are done. If the body throws, the first exception is rethrown here.
void parallel_for(int64_t count, int threads, const std::function<void(int64_t, int64_t)>& body);

}  // namespace palimpsest
