// The values of single examples in a log's entry. Of a list, one entry per alternative answer, its mean
// counts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// The object value_by_index of an entry; nullptr where there is none.
const Json* value_by_index(const Json& entry);

// The keys of its examples, also those without a value: in the order of their numbers where all are
// whole numbers, as indices of records are, else in that of the file.
std::vector<std::string> example_keys(const Json& by_index);

// The same order for keys of any log.
std::vector<std::string> in_number_order(std::vector<std::string> keys);

// One field, in a form that stat/truth_ratio.h names; examples without a finite number are left out.
ValueByExample logged_field(const Json& by_index, const std::string& field,
                            const std::string& form = "");

}  // namespace palimpsest::report
