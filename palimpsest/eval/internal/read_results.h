// The readers of what an evaluation writes, from JSON: a metric's entry in NAME_EVAL.json, and
// NAME_RUN.json. A member that is absent counts as empty, because logs of other programs and
// records of older versions lack some. What has the wrong type is damaged.
#pragma once

#include <string>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/eval/metric_result.h"
#include "palimpsest/eval/run_record.h"

namespace palimpsest::eval {

// Two sets of which any example has a score make an attack; an example without one has none. Values
// of examples that are not numbers, texts or lists of these are ignored. Throws Error if the entry
// or its value_by_index is not an object. `where` begins the message.
MetricResult result_from_json(const Json& json, const std::string& where);

// Throws Error if the record is damaged or of a newer version. `where` names the file.
RunRecord run_record_from_json(const Json& json, const std::string& where);

}  // namespace palimpsest::eval
