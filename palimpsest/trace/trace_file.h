// Trace files (.jsonl): a first line that says what was traced, then one object per example.
//
//   {"palimpsest_trace": 1, "model": "…", "dataset": "…"}
//   {"index": "0", "text": "…", "num_labels": 3, "avg_loss": 1.9, "logprob": [-1.2, -0.3, -4.2], …}
//
// Any program that can log token log-probabilities can write such a file. So reading checks
// everything, and errors name the wrong line. Unknown keys are ignored.
#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "palimpsest/base/file.h"
#include "palimpsest/base/worker_pool.h"
#include "palimpsest/trace/trace.h"
#include "palimpsest/trace/trace_source.h"

namespace palimpsest::trace {

class DistinctExamples;

// Reads one trace at a time, or many at a time on several threads. The memory needed depends on the
// longest line (but is at least about 10 MB) and on the names of the examples, which must be
// distinct. Every failure is an Error with file and line. The traces are consistent in the sense of
// require_consistent(). Must not be shared between threads.
class TraceReader : public TraceSource {
 public:
  explicit TraceReader(std::filesystem::path path);
  ~TraceReader() override;

  const TraceHeader& header() const override { return header_; }
  // Returns false at the end. Must not be mixed with next_block(), which reads ahead.
  bool next(Trace& trace);
  bool next_block(std::vector<LocatedTrace>& block, WorkerPool& pool) override;

  std::string name() const override { return path_.string(); }
  // "forget.jsonl:17": the line last returned by next(), or the one given.
  std::string where() const { return lines_.where(); }
  std::string where(int64_t line) const override;

 private:
  // Some lines that wait for their turn.
  struct Lines {
    std::vector<std::string> texts;  // the first of them, as many as `numbers`; the rest is memory
    std::vector<int64_t> numbers;
    std::exception_ptr failure;  // why there are no more
  };
  void read_lines(Lines& lines);

  std::filesystem::path path_;
  LineReader lines_;
  TraceHeader header_;
  std::unique_ptr<DistinctExamples> distinct_;
  Lines current_;
  Lines ahead_;
  bool read_ahead_ = false;  // whether ahead_ holds what follows
};

}  // namespace palimpsest::trace
