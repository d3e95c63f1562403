#include "palimpsest/attack/internal/reference_traces.h"

#include <fmt/format.h>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/worker_pool.h"

namespace palimpsest::attack {
namespace {

std::string spelled(const trace::Trace& trace) {
  return trace.alternative == 0
             ? fmt::format("'{}'", trace.index)
             : fmt::format("'{}' (alternative {})", trace.index, trace.alternative);
}

// What the two disagree about, or an empty string.
std::string difference(const trace::Trace& a, const trace::Trace& b) {
  if (a.num_labels != b.num_labels) {
    return fmt::format("{} labelled tokens against {}", b.num_labels, a.num_labels);
  }
  if (a.logprob && b.logprob && a.logprob->size() != b.logprob->size()) {
    return fmt::format("{} log-probabilities against {}", b.logprob->size(), a.logprob->size());
  }
  if (a.label && b.label) return *a.label == *b.label ? "" : "other label ids";
  if (a.text && b.text && *a.text != *b.text) return "another text";
  return "";
}

}  // namespace

ReferenceTraces::ReferenceTraces(const trace::TraceInput& traces, trace::TraceParts parts,
                                 WorkerPool& pool)
    : source_(trace::open_traces(traces, parts)), pool_(pool) {}

trace::LocatedTrace ReferenceTraces::take(const trace::Trace& trace) {
  const std::string key = trace::example_key(trace.index, trace.alternative);
  auto found = waiting_.find(key);
  while (found == waiting_.end()) {
    if (!source_->next_block(block_, pool_)) {
      throw Error(
          {.what = fmt::format("the reference model's traces lack the example {}", spelled(trace)),
           .where = name(),
           .hint = "trace the same data with the reference model"});
    }
    for (trace::LocatedTrace& reference : block_) {
      std::string name = trace::example_key(reference.trace.index, reference.trace.alternative);
      waiting_.emplace(std::move(name), std::move(reference));
    }
    found = waiting_.find(key);
  }
  trace::LocatedTrace reference = std::move(found->second);
  waiting_.erase(found);
  require_same_tokens(trace, reference);
  return reference;
}

void ReferenceTraces::require_same_tokens(const trace::Trace& trace,
                                          const trace::LocatedTrace& reference) const {
  const std::string differs = difference(trace, reference.trace);
  if (differs.empty()) return;
  throw Error({.what = fmt::format("the reference model's trace of the example {} does not have "
                                   "the same tokens",
                                   spelled(trace)),
               .where = where(reference.line),
               .found = differs,
               .hint = "the models have different vocabularies, or other data was traced: take a "
                       "reference model with the same tokenizer and trace the same file"});
}

}  // namespace palimpsest::attack
