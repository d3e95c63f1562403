// Each example of a set of traces may stand there once: what reading a file and taking traces from
// memory check alike.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "palimpsest/trace/trace_source.h"

namespace palimpsest::trace {

class DistinctExamples {
 public:
  // Throws Error for an example that was there before; `line` is its place in the source.
  void add(const Trace& trace, const TraceSource& source, int64_t line);

 private:
  std::unordered_set<std::string> seen_;  // example_key() of the examples so far
};

}  // namespace palimpsest::trace
