// Takes the texts out of what an audit writes (AuditSpec::hide_texts_with).
#pragma once

#include <string>

#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/audit/audit.h"

namespace palimpsest::audit {

// Replaces the values of groups, which may be names of people, before results are split by them.
void disguise_groups(const std::string& salt, attack::TraceScores& scores);

// Writes the trace files again without texts, each in one step. A later audit does not take these
// files for its own and runs the models again. Traces in memory become copies without texts.
void hide_texts(const std::string& salt, AuditTraces& traces);

}  // namespace palimpsest::audit
