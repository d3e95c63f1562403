#include "palimpsest/attack/reference_traces.h"

#include <fmt/format.h>

#include "palimpsest/base/error.h"

namespace palimpsest {
namespace {

std::string spelled(const Trace& trace) {
  return trace.alternative == 0
             ? fmt::format("'{}'", trace.index)
             : fmt::format("'{}' (alternative {})", trace.index, trace.alternative);
}

// What the two disagree about, or an empty string.
std::string difference(const Trace& a, const Trace& b) {
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

ReferenceTraces::ReferenceTraces(const std::filesystem::path& path, WorkerPool& pool)
    : path_(path), reader_(path), pool_(pool) {}

LocatedTrace ReferenceTraces::take(const Trace& trace) {
  const std::string key = example_key(trace.index, trace.alternative);
  auto found = waiting_.find(key);
  while (found == waiting_.end()) {
    if (!reader_.next_block(block_, pool_)) {
      throw Error(
          {.what = fmt::format("the reference model's traces lack the example {}", spelled(trace)),
           .where = path_.string(),
           .hint = "trace the same data with the reference model"});
    }
    for (LocatedTrace& reference : block_) {
      std::string name = example_key(reference.trace.index, reference.trace.alternative);
      waiting_.emplace(std::move(name), std::move(reference));
    }
    found = waiting_.find(key);
  }
  LocatedTrace reference = std::move(found->second);
  waiting_.erase(found);
  require_same_tokens(trace, reference);
  return reference;
}

void ReferenceTraces::require_same_tokens(const Trace& trace, const LocatedTrace& reference) const {
  const std::string differs = difference(trace, reference.trace);
  if (differs.empty()) return;
  throw Error({.what = fmt::format("the reference model's trace of the example {} is not of the "
                                   "same tokens",
                                   spelled(trace)),
               .where = where(reference.line),
               .found = differs,
               .hint = "the models have different vocabularies, or other data was traced: take a "
                       "reference model with the same tokenizer and trace the same file"});
}

}  // namespace palimpsest
