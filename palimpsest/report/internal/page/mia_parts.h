// The tables and charts of an audit's page. Each function returns those for which the report has
// data. `shown` is the attack by which clusters and groups are ranked and shown.
#pragma once

#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/report/figures/figure.h"
#include "palimpsest/report/result_table.h"

namespace palimpsest::report {

// The attacks, the difference from a baseline model, clusters and groups by their AUC, and
// thresholds.
std::vector<ResultTable> mia_tables(const attack::MiaReport& report, size_t shown);

// ROC curves, the score distributions of forget and holdout set, and the AUC by attack, by subgroup
// and along a parameter that was swept ("min_k:k=sweep").
std::vector<Figure> mia_charts(const attack::MiaReport& report, size_t shown);

}  // namespace palimpsest::report
