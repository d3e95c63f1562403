// How an audit was made, as mia.json and the page have it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/both_sets.h"
#include "palimpsest/attack/mia_files.h"
#include "palimpsest/audit/audit.h"

namespace palimpsest::audit {

struct RecordInput {
  const AuditSpec& spec;
  const AuditTraces& traces;  // that were scored
  const attack::TraceScores& forget;
  const attack::TraceScores& holdout;
  const std::vector<std::pair<std::string, std::string>>& fingerprints;  // of models that were run
};

attack::MiaRecord record_of(const RecordInput& input);

}  // namespace palimpsest::audit
