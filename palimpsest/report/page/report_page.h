// Makes the page of a report on several results: a table of models and metrics with marks for
// significant differences, the attacks and their metrics, the effective epsilon, and every figure.
// `palimpsest report --out` writes it as report.html. If there are runs, the headline, the red
// flags and the examples are about the first run, with which the others are compared.
#pragma once

#include <vector>

#include "palimpsest/report/page/page_data.h"
#include "palimpsest/report/report.h"

namespace palimpsest::report {

// The largest number of charts on a page, because more would make it slow. A note gives the number
// of charts that are only in figures/.
inline constexpr size_t kMostCharts = 24;

// `run` is the record of the run.
PageData report_page(const Report& report, const std::vector<PageEntry>& run = {});

// Makes the right page for a report. A report on a single audit gets the page of `mia --out`, made
// again by mia_page() from the record of the audit. Any other report gets report_page(). So does an
// audit by version 0.1, which stored less.
PageData page_of(const Report& report, const std::vector<PageEntry>& run);

}  // namespace palimpsest::report
