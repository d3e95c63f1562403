// The readers of what an evaluation writes, from JSON: a metric's entry in NAME_EVAL.json, and
// NAME_RUN.json. Logs of other programs and records of older versions lack some members: what is
// absent counts as empty.
#pragma once

#include <string>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/eval/metric_result.h"
#include "palimpsest/eval/run_record.h"

namespace palimpsest::eval {

// The sets 'forget' and 'holdout' make an attack if each is empty or has an example with the field
// "score"; an example without the field has no score. Values of examples that are not numbers,
// texts or lists of these are ignored. Throws Error if the entry or its value_by_index is not an
// object. `where` begins the message.
MetricResult result_from_json(const Json& json, const std::string& where);

// Throws Error if the record is damaged or of a newer version. `where` names the file. Damaged is a
// member of the wrong type. So is a record without `metrics`. A pass, an effect, a spread, an
// averaged field, the clusters and the comparison with retrained models are whole or absent.
RunRecord run_record_from_json(const Json& json, const std::string& where);

}  // namespace palimpsest::eval
