// The traces of a reference model for the same examples, found by their index and alternative.
//
// Two models that were run on the same data leave two files in the same order. So the second file
// is read along with the first, and little is held in memory. If the order differs, traces that
// come early wait in memory until they are requested.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/trace/trace_source.h"

namespace palimpsest::attack {

class ReferenceTraces {
 public:
  // Throws the same Errors as open_traces(). The pool must outlive this object.
  ReferenceTraces(const trace::TraceInput& traces, trace::TraceParts parts, WorkerPool& pool);

  const trace::TraceHeader& header() const { return source_->header(); }
  std::string name() const { return source_->name(); }
  std::string where(int64_t line) const { return source_->where(line); }

  // Returns the reference model's trace of that example. Each example can be taken once. Throws
  // Error if there is none, or if it has other tokens: another number of labels, other label ids
  // or, if one of the two has no ids, another text.
  trace::LocatedTrace take(const trace::Trace& trace);

 private:
  void require_same_tokens(const trace::Trace& trace, const trace::LocatedTrace& reference) const;

  std::unique_ptr<trace::TraceSource> source_;
  WorkerPool& pool_;
  std::unordered_map<std::string, trace::LocatedTrace> waiting_;  // by example_key()
  std::vector<trace::LocatedTrace> block_;
};

}  // namespace palimpsest::attack
