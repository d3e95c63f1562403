// A report on several results as a page: a table of models and metrics with marks for significant
// differences, the attacks and their metrics, the effective epsilon, and every figure. `palimpsest
// report --out` writes it as report.html. If there are runs, the headline, the red flags and the
// examples are about the first run, with which the others are compared.
#pragma once

#include <vector>

#include "palimpsest/report/page/page_data.h"
#include "palimpsest/report/report.h"

namespace palimpsest::report {

// The largest number of charts on a page, and the largest size of all these charts together as SVG.
// The limits keep a page quick to open and small enough to send. A note says how many further
// charts are only in figures/.
inline constexpr size_t kMaxCharts = 24;
inline constexpr size_t kMaxChartBytes = 150'000;

// `run` is the record of the run.
PageData report_page(const Report& report, const std::vector<PageEntry>& run = {});

// The right page for a report. A report on a single audit gets the same page as `mia --out` wrote:
// mia_page() makes it again from the record of the audit. Any other report gets report_page(), and
// so does an audit of version 0.1, which stored less.
PageData page_of(const Report& report, const std::vector<PageEntry>& run);

}  // namespace palimpsest::report
