// The first half of an audit of models: data files become examples, and each model is run over both
// sets, one model after the other, so that two never need to fit in memory at once.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/audit/audit.h"
#include "palimpsest/audit/internal/audit_log.h"

namespace palimpsest::audit {

struct ModelTraces {
  AuditTraces traces;
  // Of the tokenizer and of every model that was run, by name.
  std::vector<std::pair<std::string, std::string>> fingerprints;
};

struct TraceRequest {
  const attack::AttackTable& attacks;  // the selected ones
  bool only_possible = true;           // leave out what the loader cannot compute, with a note
  const attack::MiaOptions& options;   // keys and clusters
};

// Whatever can be wrong with the models or the data is found before a model runs.
ModelTraces trace_models(const AuditModels& models, const TraceRequest& request,
                         const AuditContext& context, AuditLog& log);

}  // namespace palimpsest::audit
