// Checks that each example occurs only once in a set of traces, in a file or in memory.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "palimpsest/trace/trace_source.h"

namespace palimpsest::trace {

class DistinctExamples {
 public:
  // Throws Error for an example that occurred before. `line` is its position in the source.
  void add(const Trace& trace, const TraceSource& source, int64_t line);

 private:
  std::unordered_set<std::string> seen_;  // example_key() of the examples so far
};

}  // namespace palimpsest::trace
