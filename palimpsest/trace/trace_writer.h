// Writing trace files, in the format that trace_file.h reads.
#pragma once

#include <filesystem>
#include <string>

#include "palimpsest/base/file.h"
#include "palimpsest/trace/trace.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest {

// Nine significant digits: as much as a float32 computation has, and all that a trace file keeps.
double rounded_for_trace(double value);

// One line of the file, without its end.
std::string trace_header_line(const TraceHeader& header);
std::string trace_line(const Trace& trace);

// Appears under its name when it is complete.
class TraceWriter {
 public:
  TraceWriter(const std::filesystem::path& path, const TraceHeader& header);
  void write(const Trace& trace);
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
};

}  // namespace palimpsest
