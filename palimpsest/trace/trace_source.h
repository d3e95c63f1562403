// A common interface to traces in a file (trace_file.h) and traces in memory, so that code that
// scores traces need not know where they are. Traces are read in blocks. The same traces give the
// same results from both sources, and are rejected by both for the same reasons.
//
//   TraceInput input = "forget.jsonl";
//   input = std::make_shared<TraceSet>(TraceSet{{.model = "mine"}, traces});
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "palimpsest/trace/trace.h"

namespace palimpsest {
class WorkerPool;
}  // namespace palimpsest

namespace palimpsest::trace {

struct TraceHeader {
  std::string model;    // empty if unknown
  std::string dataset;  // empty if unknown
  // A hash of everything that determines the numbers (see run/trace_run.h); empty if unknown.
  std::string fingerprint = {};
};

// The content of a trace file, in memory.
struct TraceSet {
  TraceHeader header;
  std::vector<Trace> traces;
};

struct LocatedTrace {
  Trace trace;
  int64_t line = 0;  // line number in the file, from 1; in memory, the number of the trace
};

// What a reader of traces needs of them. A source may leave out the rest.
enum class TraceParts {
  kAll,
  kWithoutTokens
};  // kWithoutTokens: without Trace::tokens, which take the most memory

// Returns the traces block by block. Must not be shared between threads.
class TraceSource {
 public:
  virtual ~TraceSource() = default;

  virtual const TraceHeader& header() const = 0;
  // Replaces the content of `block` with the next traces, in order. Returns false if none are left.
  // The examples are distinct, and every trace passes require_consistent() and is rounded by
  // round_to_float32(). Throws Error for the first invalid trace, whatever the number of threads.
  // next_block() is for the library itself, because WorkerPool is private. Other programs read with
  // TraceReader::next() or visit_traces().
  virtual bool next_block(std::vector<LocatedTrace>& block, WorkerPool& pool) = 0;
  // Texts for messages. name() is the path of the file, or a description of the traces in memory;
  // where() adds a position to it.
  virtual std::string name() const = 0;
  virtual std::string where(int64_t line) const = 0;
};

// A trace file, or traces in memory. An empty path or null pointer means that no traces are given.
using TraceInput = std::variant<std::filesystem::path, std::shared_ptr<const TraceSet>>;

// The two sets of every audit: the forget set, which the model should have forgotten, and the
// holdout set, examples of the same kind that it never saw. BothSets<T> holds one T (such as a data
// file, traces or scores) for each of them.
template <class T>
struct BothSets {
  T forget = {};
  T holdout = {};
};

bool is_given(const TraceInput& input);
// The path of the file; empty for traces in memory.
std::filesystem::path file_of(const TraceInput& input);

// Opens traces for reading. The input must be given. Throws the same Errors as TraceReader.
std::unique_ptr<TraceSource> open_traces(const TraceInput& input,
                                         TraceParts parts = TraceParts::kAll);

// Calls `take` with the traces of these numbers. Numbers count from 0 in the order of the input and
// must be ascending. The other traces are skipped without being read, which takes only a small part
// of the time. Throws Error if there is no trace with one of these numbers, for example because the
// file has become shorter.
void visit_traces(const TraceInput& input, std::span<const size_t> numbers,
                  const std::function<void(size_t number, const Trace& trace)>& take);

// A key that identifies an example within its file.
std::string example_key(const std::string& index, int64_t alternative);

}  // namespace palimpsest::trace
