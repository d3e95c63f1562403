#include "palimpsest/trace/trace_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/trace/internal/fill_block.h"
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
    fill_block(block, next_, count, *this, distinct_, pool, [&](size_t i) {
      Trace trace = set_->traces[i];
      round_to_float32(trace);
      require_consistent(trace);
      return trace;
    });
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

std::unique_ptr<TraceSource> open_traces(const TraceInput& input, TraceParts parts) {
  PALIMPSEST_CHECK(is_given(input));
  if (const auto* file = std::get_if<std::filesystem::path>(&input))
    return std::make_unique<TraceReader>(*file, parts);
  return std::make_unique<MemoryTraces>(std::get<1>(input));
}

void visit_traces(const TraceInput& input, std::span<const size_t> numbers,
                  const std::function<void(size_t number, const Trace& trace)>& take) {
  PALIMPSEST_CHECK(is_given(input) && std::ranges::is_sorted(numbers));
  const auto* file = std::get_if<std::filesystem::path>(&input);
  const TraceSet* set = file == nullptr ? std::get<1>(input).get() : nullptr;
  std::optional<TraceReader> reader;
  if (file != nullptr) reader.emplace(*file);
  size_t next = 0;
  Trace trace;
  for (const size_t number : numbers) {
    const bool is_there = set != nullptr ? number < set->traces.size()
                                         : reader->skip(number - next) && reader->next(trace);
    if (!is_there) {
      throw Error({.what = fmt::format("the trace {} no longer exists", number + 1),
                   .where = file != nullptr ? file->string() : "traces in memory",
                   .hint = "do not change a file while it is read"});
    }
    take(number, set != nullptr ? set->traces[number] : trace);
    next = number + 1;
  }
}

std::string example_key(const std::string& index, int64_t alternative) {
  return std::to_string(alternative) + "/" + index;
}

}  // namespace palimpsest::trace
