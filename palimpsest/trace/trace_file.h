// Trace files (.jsonl): a first line that says what was traced, then one object an example.
//
//   {"palimpsest_trace": 1, "model": "…", "dataset": "…"}
//   {"index": "0", "text": "…", "num_labels": 3, "avg_loss": 1.9, "logprob": [-1.2, -0.3, -4.2], …}
//
// Anybody who can log token log-probabilities can write one, so reading checks everything and says
// which line is wrong. Unknown keys are ignored.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "palimpsest/base/file.h"
#include "palimpsest/trace/trace.h"

namespace palimpsest {

struct TraceHeader {
  std::string model;    // empty where the file does not say
  std::string dataset;  // likewise
};

// Reads one trace at a time; memory follows the longest line (and the names of the examples, which
// must be distinct). Every failure is an Error with file and line.
class TraceReader {
 public:
  explicit TraceReader(const std::filesystem::path& path);

  const TraceHeader& header() const { return header_; }
  // False at the end. The trace is consistent in the sense of require_consistent().
  bool next(Trace& trace);
  // "forget.jsonl:17", the line of the trace last returned.
  std::string where() const { return lines_.where(); }

 private:
  LineReader lines_;
  TraceHeader header_;
  std::set<std::pair<std::string, int64_t>> seen_;
};

}  // namespace palimpsest
