// Writes trace files in the formats that trace_file.h reads: columns if the name of the file ends
// in .safetensors, otherwise JSON lines.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "palimpsest/trace/trace.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest::trace {

// Returns the double with the fewest decimal digits that rounds to the same float32 as `value`,
// which must itself be a float32.
double shortest_float32(double value);

// One line of the file, without its line break.
std::string trace_header_line(const TraceHeader& header);
std::string trace_line(const Trace& trace);

class TraceSink;

// Writes a trace file. The file appears under its name only when commit() is called.
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
