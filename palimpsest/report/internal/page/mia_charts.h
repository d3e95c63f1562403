// The charts of an audit: ROC curves, the scores of forget against holdout, the AUC by attack, by
// subgroup and along a parameter that was swept ("min_k:k=sweep").
#pragma once

#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/report/figures.h"

namespace palimpsest::report {

// Those that the report has data for. `shown` is the attack under which groups are shown.
std::vector<Figure> mia_charts(const attack::MiaReport& report, size_t shown);

}  // namespace palimpsest::report
