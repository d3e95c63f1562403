// The models and their metrics as the tables of a page. A summary shows the verdicts and at most
// six headline metrics. Further tables, closed until a reader opens them, hold the other metrics,
// one per question: does it remember? can it still answer? is it intact? Metrics that no run has a
// value of are left out.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/report/result_table.h"
#include "palimpsest/report/run_table.h"

namespace palimpsest::report {

inline constexpr size_t kHeadlineMetrics = 6;
// With more models than this the models are the rows, and the metrics the columns.
inline constexpr size_t kMaxModelColumns = 5;

// `leading` is the label of the attack that the page's headline speaks of; it comes first. Empty if
// there is none.
std::vector<ResultTable> model_tables(const RunTable& table, const std::string& leading);

}  // namespace palimpsest::report
