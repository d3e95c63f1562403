// A reference model's traces of the same examples, found by their index and alternative.
//
// Two models that were run on the same data leave two files in the same order, so the second file is
// read beside the first one and little is held in memory; where the order differs, what comes early
// waits until it is asked for.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "palimpsest/trace/trace_file.h"

namespace palimpsest {

class ReferenceTraces {
 public:
  // Throws Error as TraceReader does. The pool must outlive this object.
  ReferenceTraces(const std::filesystem::path& path, WorkerPool& pool);

  const TraceHeader& header() const { return reader_.header(); }
  std::string where(int64_t line) const { return reader_.where(line); }

  // The reference model's trace of that example; each example can be taken once. Throws Error if
  // there is none, or if it is of other tokens: another number of labels, other label ids, or, where
  // one of the two has no ids, another text.
  LocatedTrace take(const Trace& trace);

 private:
  void require_same_tokens(const Trace& trace, const LocatedTrace& reference) const;

  std::filesystem::path path_;
  TraceReader reader_;
  WorkerPool& pool_;
  std::unordered_map<std::string, LocatedTrace> waiting_;  // by example_key()
  std::vector<LocatedTrace> block_;
};

}  // namespace palimpsest
