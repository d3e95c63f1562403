#include "palimpsest/run/audit_traces.h"

#include <fmt/format.h>

#include <unordered_set>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"

namespace palimpsest {

std::vector<AuditTraces> trace_audit(TraceRun& run, const AuditSets& sets,
                                     const std::vector<AuditModel>& models,
                                     const Tokenizer& tokenizer, const AuditTraceOptions& options) {
  make_folder(options.folder);
  std::vector<AuditTraces> results;
  for (const AuditModel& model : models) {
    AuditTraces traces{.forget = options.folder / (model.files + "forget.jsonl"),
                       .holdout = options.folder / (model.files + "holdout.jsonl")};
    const std::vector<TraceTask> tasks = {
        {.dataset = sets.forget.dataset, .examples = &sets.forget.examples, .out = traces.forget},
        {.dataset = sets.holdout.dataset,
         .examples = &sets.holdout.examples,
         .out = traces.holdout}};
    traces.counts = run.trace(
        model.model, tasks,
        {.masked_token = options.masked_token, .gradient_norms = model.gradient_norms}, tokenizer);
    results.push_back(std::move(traces));
  }
  return results;
}

void require_same_tokens(const AuditSets& sets, const Tokenizer& tokenizer, const Tokenizer& other,
                         const std::string& where) {
  std::unordered_set<int64_t> checked;
  for (const AuditSet* set : {&sets.forget, &sets.holdout}) {
    for (const Example& example : set->examples) {
      for (const int64_t id : example.ids) {
        if (!checked.insert(id).second) continue;
        const std::optional<std::string> here = tokenizer.id_to_token(id);
        const std::optional<std::string> there = other.id_to_token(id);
        if (here == there) continue;
        throw Error({.what = "the model has another vocabulary than the one under audit",
                     .where = where,
                     .expected = fmt::format("'{}' for the token {}", here.value_or(""), id),
                     .found = there ? fmt::format("'{}'", *there) : "no such token",
                     .hint = "compare with a model that shares the tokenizer"});
      }
    }
  }
}

}  // namespace palimpsest
