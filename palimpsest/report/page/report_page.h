// A report over several results as a page: models × metrics with the differences that are
// significant, attacks and their metrics, effective epsilon, every figure. What `palimpsest report
// --out` writes as report.html. Where there are runs the headline, the red flags and the examples
// speak of the first: the model in question, beside which the others stand.
#pragma once

#include <vector>

#include "palimpsest/report/page/page_data.h"
#include "palimpsest/report/report.h"

namespace palimpsest {

// More charts than this make a page slow; a note says how many stand in figures/ only.
inline constexpr size_t kMostCharts = 24;

// `run` is the record of the run.
PageData report_page(const Report& report, const std::vector<PageEntry>& run = {});

// The page of whatever was asked about. An audit alone has one page: that which `mia --out` wrote, made
// again by mia_page() with the record of the audit. Anything else is report_page(), and so is an audit
// of version 0.1, which kept less.
PageData page_of(const Report& report, const std::vector<PageEntry>& run);

}  // namespace palimpsest
