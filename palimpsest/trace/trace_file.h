// Reads and writes trace files. Such a file holds JSON lines, or columns in the format of
// safetensors (internal/trace_files.h); its first bytes tell which. Of the JSON lines, the first
// says what was traced, and each further line is one example.
//
//   {"palimpsest_trace": 1, "model": "…", "dataset": "…"}
//   {"index": "0", "text": "…", "num_labels": 3, "avg_loss": 1.9, "logprob": [-1.2, -0.3, -4.2], …}
//
// TraceWriter writes columns if the name of the file ends in .safetensors, otherwise JSON lines.
// Any program that can log token log-probabilities can write such a file. Reading therefore checks
// everything, and an error names the line that is at fault. Unknown keys are ignored.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "palimpsest/trace/trace.h"
#include "palimpsest/trace/trace_source.h"

namespace palimpsest::trace {

class TraceFile;

// Reads one trace at a time, or many at a time on several threads. The reader needs at least about
// 10 MB of memory. The memory grows with the longest line and with the total length of the
// examples' names, which must be distinct. Every failure throws Error with the file and the line.
// Every trace passes require_consistent(). A reader must not be shared between threads.
class TraceReader : public TraceSource {
 public:
  explicit TraceReader(const std::filesystem::path& path, TraceParts parts = TraceParts::kAll);
  ~TraceReader() override;

  const TraceHeader& header() const override;
  // Returns false at the end of the file. Must not be mixed with next_block(), which reads ahead.
  bool next(Trace& trace);
  // For the library itself (see TraceSource).
  bool next_block(std::vector<LocatedTrace>& block, WorkerPool& pool) override;
  // Skips this many traces without reading them. Returns false if there are fewer. Must not be
  // mixed with next_block(), either.
  bool skip(size_t count);

  std::string name() const override;
  // A position for messages, such as "forget.jsonl:17": the line of the trace that next() last
  // returned, or the line given.
  std::string where() const;
  std::string where(int64_t line) const override;

 private:
  std::unique_ptr<TraceFile> file_;
};

// Returns the double with the fewest decimal digits that rounds to the same float32 as `value`,
// which must itself be a float32.
double shortest_float32(double value);

// One line of the file, without its line break.
std::string trace_header_line(const TraceHeader& header);
std::string trace_line(const Trace& trace);

class TraceSink;

// Writes a trace file. The file appears under its name only when commit() is called. Without
// commit(), nothing is left behind, and a file that existed before stays as it is. Failures to
// write throw SystemError. Must not be shared between threads.
class TraceWriter {
 public:
  TraceWriter(const std::filesystem::path& path, const TraceHeader& header);
  ~TraceWriter();
  void write(const Trace& trace);
  void commit();

 private:
  std::unique_ptr<TraceSink> file_;
};

}  // namespace palimpsest::trace
