// The results of an audit about both sets together, from the object "audit" of mia.json or from the
// report in memory.
#pragma once

#include <optional>

#include "palimpsest/attack/mia.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/internal/run_clusters.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// Returns nullopt if the texts do not distinguish the sets, or if this was not tested.
std::optional<SeparatingTexts> separating_texts(const Json& audit);

RunClusters clusters_of(const attack::MiaReport& audit);

}  // namespace palimpsest::report
