// The tables of an audit: the attacks, the difference from a baseline model, clusters and groups by
// their AUC, and thresholds.
#pragma once

#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/report/page/page_data.h"

namespace palimpsest::report {

// Returns the tables for which the report has data. `shown` is the attack by which clusters and
// groups are ranked.
std::vector<ResultTable> mia_tables(const attack::MiaReport& report, size_t shown);

}  // namespace palimpsest::report
