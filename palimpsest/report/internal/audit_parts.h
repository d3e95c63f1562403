// The results of an audit about both sets together, from the object "audit" of mia.json or from the
// report in memory.
#pragma once

#include <filesystem>
#include <optional>

#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/internal/cluster_lookup.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// Returns nullopt if the texts do not distinguish the sets, or if this was not tested.
std::optional<SeparatingTexts> separating_texts(const Json& audit);

ClusterLookup clusters_of(const attack::MiaReport& audit);

// The trace files that an audit's record names, where they are found: in the folder of the audit,
// in its traces/, or where they were. None if the record says that texts were left out of the
// results.
trace::BothSets<trace::TraceInput> recorded_traces(const attack::MiaRecord& record,
                                                   const std::filesystem::path& folder);

}  // namespace palimpsest::report
