// The charts of an audit: ROC curves, the score distributions of forget and holdout set, and the
// AUC by attack, by subgroup and along a parameter that was swept ("min_k:k=sweep").
#pragma once

#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/report/figures.h"

namespace palimpsest::report {

// Returns the charts for which the report has data. `shown` is the attack for which groups are
// shown.
std::vector<Figure> mia_charts(const attack::MiaReport& report, size_t shown);

}  // namespace palimpsest::report
