// Any bytes as a whole trace file of either kind: a header and traces that hold together, or an
// Error with the place; the same one by one and many at a time. What reads is written as JSON
// lines, as columns and as JSON lines again, which must give the same bytes.
//
// An input that begins with the byte 1 is a file of columns without the length of its header: that
// is put before it, so that mutations get further than the first check.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/input_file.h"
#include "fuzz/safetensors_input.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest {
namespace {

// How many traces there are, and why there are no more.
struct Found {
  size_t traces = 0;
  std::string failure;

  friend bool operator==(const Found&, const Found&) = default;
};

template <class Read>
Found read_all(const std::filesystem::path& file, Read read) {
  Found found;
  try {
    trace::TraceReader reader(file);
    while (const size_t count = read(reader)) found.traces += count;
  } catch (const Error& error) {
    found.failure = error.what();
  }
  return found;
}

// The new file; nothing if a trace has what this kind of file cannot hold. All that is read here
// was written before, so that reading must not fail.
std::optional<std::filesystem::path> converted(const std::filesystem::path& from,
                                               const char* name) {
  const std::filesystem::path to = input_folder().path() / name;
  trace::TraceReader reader(from);
  trace::TraceWriter writer(to, reader.header());
  for (trace::Trace trace; reader.next(trace);) {
    try {
      writer.write(trace);
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  writer.commit();
  return to;
}

void convert(const std::filesystem::path& file) {
  const auto lines = converted(file, "lines.jsonl");
  if (!lines) std::abort();
  const auto columns = converted(*lines, "columns.safetensors");
  if (!columns) return;
  const auto again = converted(*columns, "again.jsonl");
  if (!again || read_file(*lines) != read_file(*again)) std::abort();
}

std::string file_of(std::string_view input) {
  if (!input.starts_with('\1')) return std::string(input);
  input.remove_prefix(1);
  return with_header_length(input, object_length(input));
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  static WorkerPool pool(1);
  const auto file = input_folder().write("trace", file_of(input_text(data, size)));
  const Found one_by_one = read_all(file, [](trace::TraceReader& reader) -> size_t {
    trace::Trace trace;
    return reader.next(trace) ? 1 : 0;
  });
  const Found by_block = read_all(file, [](trace::TraceReader& reader) -> size_t {
    std::vector<trace::LocatedTrace> block;
    return reader.next_block(block, pool) ? block.size() : 0;
  });
  if (one_by_one.failure != by_block.failure) std::abort();
  if (!one_by_one.failure.empty()) return 0;
  if (one_by_one != by_block) std::abort();
  convert(file);
  return 0;
}
