// Traces as columns in a safetensors file (docs/formats.md): one array per kind of number over all
// tokens of all traces, and `offsets` that say where each trace begins. The file is mapped into
// memory, not parsed; it takes less than half of the space of JSON lines, and Python's safetensors
// package reads it. The same traces are read from both kinds of file, to the bit.
#pragma once

#include <filesystem>
#include <memory>

#include "palimpsest/trace/internal/trace_files.h"

namespace palimpsest::trace {

// Whether the file begins as safetensors do. A file that cannot be read does not.
bool is_column_file(const std::filesystem::path& path);
// Whether a file of this name is written as columns: its name ends in .safetensors.
bool has_column_name(const std::filesystem::path& path);

// Throws Error, with the reason, for a file that is no trace file of this kind.
std::unique_ptr<TraceFile> open_column_traces(const std::filesystem::path& path, TraceParts parts);
std::unique_ptr<TraceSink> write_column_traces(const std::filesystem::path& path,
                                               const TraceHeader& header);

}  // namespace palimpsest::trace
