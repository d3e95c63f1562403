// The forget and the holdout set of an audit under each of its models: one model after the other, so
// that two never need to fit in memory at once, and every (model, example) once.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/run/trace_run.h"
#include "palimpsest/text/tokenizer.h"

namespace palimpsest {

struct AuditSet {
  std::string dataset;  // as the user calls it
  std::vector<Example> examples;
};

struct AuditSets {
  AuditSet forget;
  AuditSet holdout;
};

struct AuditModel {
  TracedModel model;
  std::string files;  // how its trace files begin: "reference-" of reference-forget.jsonl
  std::vector<NormOrder> gradient_norms = {};
};

struct AuditTraces {
  std::filesystem::path forget;
  std::filesystem::path holdout;
  TraceCounts counts;
};

struct AuditTraceOptions {
  std::filesystem::path folder;         // for the trace files; made when there is one
  std::optional<int64_t> masked_token;  // hidden from attention wherever it stands
};

// One result per model, in their order. All models see the same token ids, which `tokenizer` made.
std::vector<AuditTraces> trace_audit(TraceRun& run, const AuditSets& sets,
                                     const std::vector<AuditModel>& models,
                                     const Tokenizer& tokenizer, const AuditTraceOptions& options);

}  // namespace palimpsest
