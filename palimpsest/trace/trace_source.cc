#include "palimpsest/trace/trace_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/trace/internal/distinct_examples.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest::trace {
namespace {

constexpr size_t kBlockTraces = 1024;  // copied and checked at once

class MemoryTraces : public TraceSource {
 public:
  explicit MemoryTraces(std::shared_ptr<const TraceSet> set) : set_(std::move(set)) {}

  const TraceHeader& header() const override { return set_->header; }

  bool next_block(std::vector<LocatedTrace>& block, WorkerPool& pool) override {
    const size_t count = std::min(kBlockTraces, set_->traces.size() - next_);
    block.clear();
    block.resize(count);
    std::vector<std::optional<Error>> failures(count);
    pool.for_ranges(static_cast<int64_t>(count), 1, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
        block[i] = {.trace = set_->traces[next_ + i], .line = static_cast<int64_t>(next_ + i) + 1};
        round_to_float32(block[i].trace);
        try {
          require_consistent(block[i].trace);
        } catch (const Error& error) {
          failures[i] = error.located(where(block[i].line));
        }
      }
    });
    for (size_t i = 0; i < count; ++i) {
      if (failures[i]) throw *failures[i];
      distinct_.add(block[i].trace, *this, block[i].line);
    }
    next_ += count;
    return count > 0;
  }

  std::string name() const override {
    const TraceHeader& header = set_->header;
    if (header.dataset.empty()) return "traces in memory";
    return fmt::format("traces of {}", header.dataset);
  }

  std::string where(int64_t line) const override {
    return fmt::format("{}, trace {}", name(), line);
  }

 private:
  std::shared_ptr<const TraceSet> set_;
  size_t next_ = 0;
  DistinctExamples distinct_;
};

}  // namespace

bool is_given(const TraceInput& input) {
  const auto* file = std::get_if<std::filesystem::path>(&input);
  return file != nullptr ? !file->empty() : std::get<1>(input) != nullptr;
}

std::filesystem::path file_of(const TraceInput& input) {
  const auto* file = std::get_if<std::filesystem::path>(&input);
  return file != nullptr ? *file : std::filesystem::path();
}

std::unique_ptr<TraceSource> open_traces(const TraceInput& input) {
  PALIMPSEST_CHECK(is_given(input));
  if (const auto* file = std::get_if<std::filesystem::path>(&input))
    return std::make_unique<TraceReader>(*file);
  return std::make_unique<MemoryTraces>(std::get<1>(input));
}

std::string example_key(const std::string& index, int64_t alternative) {
  return std::to_string(alternative) + "/" + index;
}

void DistinctExamples::add(const Trace& trace, const TraceSource& source, int64_t line) {
  if (seen_.insert(example_key(trace.index, trace.alternative)).second) return;
  throw Error(
      {.what = fmt::format("the index '{}' was there before", trace.index),
       .where = source.where(line),
       .hint =
           "give each example its own index, or each alternative of one its own 'alternative'"});
}

}  // namespace palimpsest::trace
