// How many threads a call used at most at once, loops inside loops included: parallel_for() and
// WorkerPool count them.
#pragma once

#include <cstdint>

#include "palimpsest/base/internal/parallel_width.h"

namespace palimpsest {

template <class Call>
int64_t threads_used(const Call& call) {
  widest_parallel_for() = 0;
  call();
  return widest_parallel_for();
}

}  // namespace palimpsest
