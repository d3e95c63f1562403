// A table that compares models: one row per run, one column per metric. A number is marked if it
// differs significantly from that of the first run, on the examples that both runs have. AUCs are
// compared by the jackknife over clusters (auc_difference() of stat/clustered_auc.h), and means by
// a paired permutation test that flips whole clusters. Holm's correction is applied to the tests of
// each column. So in each column the probability of any wrong mark is at most 1 - confidence.
//
// A metric is identified by its name and its parameters. If one name occurs with different
// parameters, each gets its own column, and they are never compared. Parameters that a file does
// not record count as equal, and a note says so.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/result_table.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

struct RunCell {
  std::optional<double> value;
  std::optional<stat::Interval> interval = {};
  // The test against the first run. Undefined if there are no shared examples, and for an AUC with
  // fewer than kFewestClusters clusters in a set.
  std::optional<double> p_value = {};
  std::optional<double> holm_p_value = {};  // corrected for all tests of the column
  bool differs = false;                     // holm_p_value <= 1 - confidence
};

struct RunTable {
  std::vector<std::string> runs;
  std::vector<std::string> metrics;         // labels of all metrics that some run has, AUCs first
  std::vector<bool> is_attack;              // per metric: whether it is the AUC of an attack
  std::vector<std::vector<RunCell>> cells;  // [run][metric]
  std::vector<std::optional<attack::Answer>> answers;  // one per run
  std::vector<std::vector<attack::RedFlag>> flags;     // one list per run
  double confidence = 0.95;
  std::vector<std::string> notes;  // the metrics that cannot be compared, or may not be comparable
};

// `seed` is for the permutations.
RunTable compare_runs(std::span<const RunResults> runs, double confidence = 0.95,
                      uint64_t seed = 0);

// The label of the metric's column. It is label_of(), unless several attacks have columns of this
// name in the table. Then the label also states the attack: "leak (loss)".
std::string column_label(const RunTable& table, const RunMetric& metric);

// The meaning of the marks in the table: "differs from original (paired tests over clusters,
// Holm-corrected per metric, 95%)".
std::string marks_legend(const RunTable& table);

// The columns are `model`, one per metric, and `verdict` if some run has an answer. The JSON format
// also has the whole answer and the red flags.
ResultTable to_result_table(const RunTable& table);

}  // namespace palimpsest::report
