// The two kinds of trace files, and what they have in common: reading one trace after the other,
// and writing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "palimpsest/trace/trace_source.h"

namespace palimpsest::trace {

// The format's version, which both kinds state.
inline constexpr int64_t kTraceVersion = 1;

class TraceFile : public TraceSource {
 public:
  // Returns false at the end of the file. Must not be mixed with next_block().
  virtual bool next(Trace& trace) = 0;
  // Passes over so many traces. Returns false if there are fewer. Must not be mixed with
  // next_block().
  virtual bool skip(size_t count) = 0;
  // The place of the trace that next() last returned, for messages.
  virtual std::string where_last() const = 0;
};

// A trace file that is being written. It appears under its name only when commit() is called.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void write(const Trace& trace) = 0;
  virtual void commit() = 0;
};

// JSON lines. Throws Error for a file that is no trace file.
std::unique_ptr<TraceFile> open_line_traces(const std::filesystem::path& path, TraceParts parts);

// Columns in a safetensors file (docs/formats.md): one array per kind of number over all tokens of
// all traces, and `offsets` that say where each trace begins. The file is mapped into memory, not
// parsed; it takes less than half of the space of JSON lines, and Python's safetensors package
// reads it. The same traces are read from both kinds of file, to the bit. Throws Error, with the
// reason, for a file that is no trace file of this kind.
std::unique_ptr<TraceFile> open_column_traces(const std::filesystem::path& path, TraceParts parts);
std::unique_ptr<TraceSink> write_column_traces(const std::filesystem::path& path,
                                               const TraceHeader& header);

}  // namespace palimpsest::trace
