// The tables of an audit: attacks, the difference from a baseline model, subgroups, thresholds.
#pragma once

#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/report/page/page_data.h"

namespace palimpsest {

// Those that the report has data for. `strongest` is the attack under which subgroups are shown.
std::vector<PageTable> mia_tables(const MiaReport& report, size_t strongest);

}  // namespace palimpsest
