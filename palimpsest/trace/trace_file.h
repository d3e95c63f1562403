// Trace files (.jsonl): a first line that says what was traced, then one object per example.
//
//   {"palimpsest_trace": 1, "model": "…", "dataset": "…"}
//   {"index": "0", "text": "…", "num_labels": 3, "avg_loss": 1.9, "logprob": [-1.2, -0.3, -4.2], …}
//
// Anybody who can log token log-probabilities can write one, so reading checks everything and says
// which line is wrong. Unknown keys are ignored.
#pragma once

#include <exception>
#include <filesystem>
#include <string>
#include <unordered_set>
#include <vector>

#include "palimpsest/base/file.h"
#include "palimpsest/base/worker_pool.h"
#include "palimpsest/trace/trace.h"

namespace palimpsest {

struct TraceHeader {
  std::string model;    // empty where the file does not say
  std::string dataset;  // likewise
  // Of everything that decides the numbers (see run/trace_run.h); empty where the file does not say.
  std::string fingerprint = {};
};

struct LocatedTrace {
  Trace trace;
  int64_t line = 0;  // of the file, from 1
};

// Reads one trace at a time, or many at a time on several threads; memory follows the longest line
// (or some 10 MB, whichever is more) and the names of the examples, which must be distinct. Every
// failure is an Error with file and line. The traces are consistent in the sense of
// require_consistent(). Not for sharing between threads.
class TraceReader {
 public:
  explicit TraceReader(std::filesystem::path path);

  const TraceHeader& header() const { return header_; }
  // False at the end. Not to be mixed with next_block(), which has read on.
  bool next(Trace& trace);
  // Replaces `block` by the next traces, in the order of the file; false if there are none left.
  // The first line that is wrong is reported, however many threads there are.
  bool next_block(std::vector<LocatedTrace>& block, WorkerPool& pool);

  // "forget.jsonl:17": the line last returned by next(), or the one given.
  std::string where() const { return lines_.where(); }
  std::string where(int64_t line) const;

 private:
  // Some lines that wait for their turn.
  struct Lines {
    std::vector<std::string> texts;  // the first of them, as many as `numbers`; the rest is memory
    std::vector<int64_t> numbers;
    std::exception_ptr failure;  // why there are no more
  };
  void read_lines(Lines& lines);
  void require_new(const Trace& trace, int64_t line);

  std::filesystem::path path_;
  LineReader lines_;
  TraceHeader header_;
  std::unordered_set<std::string> seen_;  // example_key() of the examples so far
  Lines current_;
  Lines ahead_;
  bool read_ahead_ = false;  // whether ahead_ holds what follows
};

// A name for the example that is unique in its file.
std::string example_key(const std::string& index, int64_t alternative);

}  // namespace palimpsest
