// The results of an audit about both sets together, from the object "audit" of mia.json or from the
// report in memory.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/internal/cluster_lookup.h"
#include "palimpsest/report/internal/written_results.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// Returns nullopt if the texts do not distinguish the sets, or if this was not tested.
std::optional<SeparatingTexts> separating_texts(const Json& audit);

// The answer of an audit, which names its attack by the row of the attack table, with the metric's
// name.
std::optional<attack::Answer> with_metric_name(std::optional<attack::Answer> answer);

ClusterLookup clusters_of(const attack::MiaReport& audit);

// The trace files that an audit's record names.
struct RecordedTraces {
  trace::BothSets<trace::TraceInput> traces = {};
  std::vector<std::filesystem::path> unfit = {};  // those found that the audit did not read
};

// Finds the files in the folder of the audit, in its traces/, or where they were. A path as it was
// typed may lead to the file of another audit: outside the folder only a file counts that gives the
// scores of the metrics, or whose SHA-256 provenance.json has. None is looked for if the record
// says that texts were left out of the results.
RecordedTraces recorded_traces(const attack::MiaRecord& record, const std::filesystem::path& folder,
                               const WrittenResults& written, std::span<const RunMetric> metrics);

}  // namespace palimpsest::report
