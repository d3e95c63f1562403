// Writing trace files, in the format that trace_file.h reads.
#pragma once

#include <filesystem>
#include <string>

#include "palimpsest/base/file.h"
#include "palimpsest/trace/trace.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest {

// The number with the fewest digits that is read as the same float32, which `value` must be.
double shortest_float32(double value);

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
