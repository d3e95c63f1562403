// The values of single examples in an entry of a log. If a value is a list with one entry per
// alternative answer, its mean is used.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// The object value_by_index of an entry; nullptr if there is none.
const Json* value_by_index(const Json& entry);

// The keys of all examples, including those without a value. If all keys are whole numbers (indices
// of records), they are sorted by number; otherwise they are in the order of the file.
std::vector<std::string> example_keys(const Json& by_index);

// Puts the keys of any log into that order.
std::vector<std::string> in_number_order(std::vector<std::string> keys);

// Returns one field, in a form of stat/truth_ratio.h. Examples without a finite number are left
// out.
ValueByExample logged_field(const Json& by_index, const std::string& field,
                            const std::string& form = "");

}  // namespace palimpsest::report
