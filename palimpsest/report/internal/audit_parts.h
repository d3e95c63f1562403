// The results of an audit about both sets together, from the object "audit" of mia.json or from the
// report in memory.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/eval/metric_result.h"
#include "palimpsest/report/internal/run_record.h"
#include "palimpsest/report/internal/written_results.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// Returns nullopt if the texts do not distinguish the sets, or if this was not tested.
std::optional<SeparatingTexts> separating_texts(const Json& audit);

// What an audit says as the record of a run does: its answer, red flags and clusters. The answer
// names its attack by the row of the attack table, with the metric's name. `where` names the file.
RunRecordFile audit_record(const Json& audit, const std::string& where);
RunRecordFile audit_record(const attack::MiaReport& audit);

// The entry of an attack in mia.json, under this name.
eval::MetricResult audit_result(const Json& entry, const std::string& name,
                                const std::string& where);

// The trace files that an audit's record names.
struct RecordedTraces {
  trace::BothSets<trace::TraceInput> traces = {};
  std::vector<UnfitTraces> unfit = {};  // those found that the audit did not read
};

// Finds the files in the folder of the audit, in its traces/, or where they were. A path as it was
// typed may lead to the file of another audit, and the folder may hold traces of an earlier one. So
// a file counts only if provenance.json lists it as a result, or has its SHA-256 as that of an
// input, or if it gives the scores of the metrics. The scores do not count for a file in the folder
// that provenance.json should list and does not. None is looked for if the
// record or provenance.json says that texts were left out of the results.
RecordedTraces recorded_traces(const attack::MiaRecord& record, const std::filesystem::path& folder,
                               const WrittenResults& written, std::span<const RunMetric> metrics);

}  // namespace palimpsest::report
