// Any bytes as a whole trace file: a header and traces that hold together, or an Error with the line;
// the same one by one and many at a time.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/input_file.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/worker_pool.h"
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

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  static WorkerPool pool(1);
  const auto file = input_folder().write("trace.jsonl", input_text(data, size));
  const Found one_by_one = read_all(file, [](trace::TraceReader& reader) -> size_t {
    trace::Trace trace;
    return reader.next(trace) ? 1 : 0;
  });
  const Found by_block = read_all(file, [](trace::TraceReader& reader) -> size_t {
    std::vector<trace::LocatedTrace> block;
    return reader.next_block(block, pool) ? block.size() : 0;
  });
  if (one_by_one.failure != by_block.failure) std::abort();
  if (one_by_one.failure.empty() && one_by_one != by_block) std::abort();
  return 0;
}
