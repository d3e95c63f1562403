#include "palimpsest/run/audit_traces.h"

#include <utility>

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

}  // namespace palimpsest
