#include "palimpsest/trace/trace_file.h"

#include <fstream>
#include <system_error>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/trace/internal/trace_files.h"

namespace palimpsest::trace {
namespace {

// Whether the file begins as safetensors do. A file that cannot be read does not.
bool is_column_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // a pipe would wait
  // Eight bytes with the length of the header, of which the upper ones are 0, and then the header.
  std::ifstream file(path, std::ios::binary);
  char head[9] = {};
  if (!file.read(head, sizeof head)) return false;
  return head[4] == 0 && head[5] == 0 && head[6] == 0 && head[7] == 0 && head[8] == '{';
}

}  // namespace

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
