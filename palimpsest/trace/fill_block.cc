#include "palimpsest/trace/internal/fill_block.h"

#include <fmt/format.h>

#include <optional>

#include "palimpsest/base/error.h"

namespace palimpsest::trace {

void DistinctExamples::add(const Trace& trace, const TraceSource& source, int64_t line) {
  if (seen_.insert(example_key(trace.index, trace.alternative)).second) return;
  throw Error({.what = fmt::format("the index '{}' occurs twice", trace.index),
               .where = source.where(line),
               .hint =
                   "give each example its own 'index', and each alternative of an example its own "
                   "'alternative'"});
}

void fill_block(std::vector<LocatedTrace>& block, size_t first, size_t count,
                const TraceSource& source, DistinctExamples& distinct, WorkerPool& pool,
                const std::function<Trace(size_t)>& make) {
  block.clear();
  block.resize(count);
  std::vector<std::optional<Error>> failures(count);
  pool.for_ranges(static_cast<int64_t>(count), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      block[i].line = static_cast<int64_t>(first + i) + 1;
      try {
        block[i].trace = make(first + i);
      } catch (const Error& error) {
        failures[i] = error.located(source.where(block[i].line));
      }
    }
  });
  for (size_t i = 0; i < count; ++i) {
    if (failures[i]) throw *failures[i];
    distinct.add(block[i].trace, source, block[i].line);
  }
}

}  // namespace palimpsest::trace
