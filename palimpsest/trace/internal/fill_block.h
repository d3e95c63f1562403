// Makes the next traces of a source on several threads, and reports the first wrong one as a single
// thread would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/trace/trace_source.h"

namespace palimpsest::trace {

// Checks that each example occurs only once in a set of traces, in a file or in memory.
class DistinctExamples {
 public:
  // Throws Error for an example that occurred before. `line` is its position in the source.
  void add(const Trace& trace, const TraceSource& source, int64_t line);

 private:
  std::unordered_set<std::string> seen_;  // example_key() of the examples so far
};

// Replaces the content of `block` by the traces first, first + 1 … of the source. make(i) returns
// trace i, or throws Error without a place. Throws Error for the first wrong or repeated trace.
void fill_block(std::vector<LocatedTrace>& block, size_t first, size_t count,
                const TraceSource& source, DistinctExamples& distinct, WorkerPool& pool,
                const std::function<Trace(size_t)>& make);

}  // namespace palimpsest::trace
