// Writes down how an audit was made, for mia.json and for the page.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/audit/audit.h"

namespace palimpsest::audit {

struct RecordInput {
  const AuditSpec& spec;
  const AuditTraces& traces;  // the traces that were scored
  const attack::TraceScores& forget;
  const attack::TraceScores& holdout;
  // Of the models that were run.
  const std::vector<std::pair<std::string, std::string>>& fingerprints;
};

attack::MiaRecord record_of(const RecordInput& input);

}  // namespace palimpsest::audit
