// Makes the next traces of a source on several threads, and reports the first wrong one as a single
// thread would.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/trace/internal/distinct_examples.h"

namespace palimpsest::trace {

// Replaces the content of `block` by the traces first, first + 1 … of the source. make(i) returns
// trace i, or throws Error without a place. Throws Error for the first wrong or repeated trace.
void fill_block(std::vector<LocatedTrace>& block, size_t first, size_t count,
                const TraceSource& source, DistinctExamples& distinct, WorkerPool& pool,
                const std::function<Trace(size_t)>& make);

}  // namespace palimpsest::trace
