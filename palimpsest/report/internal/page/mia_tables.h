// The tables of an audit: attacks, the difference from a baseline model, clusters and groups by their
// AUC, thresholds.
#pragma once

#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/report/page/page_data.h"

namespace palimpsest::report {

// Those that the report has data for. `shown` is the attack under which clusters and groups are ranked.
std::vector<ResultTable> mia_tables(const attack::MiaReport& report, size_t shown);

}  // namespace palimpsest::report
