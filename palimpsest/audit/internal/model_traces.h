// The first half of an audit of models: makes examples from data files and runs each model over
// both sets. The models run one after the other, so that two never have to fit into memory at the
// same time.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/audit/audit.h"
#include "palimpsest/audit/internal/audit_log.h"

namespace palimpsest::audit {

struct ModelTraces {
  AuditTraces traces;  // empty if only a shard ran
  AuditShard counts;   // of all models together
  // The fingerprints of the tokenizer and of every model that was run, with their names.
  std::vector<std::pair<std::string, std::string>> fingerprints;
};

struct TraceRequest {
  const attack::AttackTable& attacks;  // the selected attacks
  // Whether attacks that the loader cannot serve are left out, with a note.
  bool only_possible = true;
  const attack::MiaOptions& options;  // only the group keys and the clusters are used
};

// All mistakes in the models or the data are found before a model runs.
ModelTraces trace_models(const AuditModels& models, const TraceRequest& request,
                         const AuditContext& context, AuditLog& log);

}  // namespace palimpsest::audit
