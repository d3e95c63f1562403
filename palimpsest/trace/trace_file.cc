#include "palimpsest/trace/trace_file.h"

#include "palimpsest/trace/internal/trace_columns.h"
#include "palimpsest/trace/internal/trace_files.h"

namespace palimpsest::trace {

TraceReader::TraceReader(const std::filesystem::path& path, TraceParts parts)
    : file_(is_column_file(path) ? open_column_traces(path, parts)
                                 : open_line_traces(path, parts)) {}

TraceReader::~TraceReader() = default;

const TraceHeader& TraceReader::header() const {
  return file_->header();
}

bool TraceReader::next(Trace& trace) {
  return file_->next(trace);
}

bool TraceReader::next_block(std::vector<LocatedTrace>& block, WorkerPool& pool) {
  return file_->next_block(block, pool);
}

bool TraceReader::skip(size_t count) {
  return file_->skip(count);
}

std::string TraceReader::name() const {
  return file_->name();
}

std::string TraceReader::where() const {
  return file_->where_last();
}

std::string TraceReader::where(int64_t line) const {
  return file_->where(line);
}

}  // namespace palimpsest::trace
