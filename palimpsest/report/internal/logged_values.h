// The values of single examples in a log's entry: which of its fields, in which form, the reported
// number is the mean of. Logs do not say; the mean tells.
//
//   a field as it is                     prob, rougeL_recall …; of a list its mean
//   min(score, 1/(score + 1e-10))        truth ratios whose aggregator is closer_to_1_better
//   max(0, 1 - score)                    true_better
#pragma once

#include <map>
#include <string>
#include <vector>

#include "palimpsest/base/json.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest {

// The object value_by_index of an entry; nullptr where there is none.
const Json* value_by_index(const Json& entry);

// The keys of its examples, also those without a value: in the order of their numbers where all are
// whole numbers, as indices of records are, else in that of the file.
std::vector<std::string> example_keys(const Json& by_index);

// One field; examples without a finite number are left out.
ValueByExample logged_field(const Json& by_index, const std::string& field);

// Those whose mean is `mean`, up to 1e-6; empty where no field has that mean.
ValueByExample averaged_values(const Json& by_index, double mean);

}  // namespace palimpsest
