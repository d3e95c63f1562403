// Models beside each other: one row per run, one column per metric. A number is marked where it differs
// from the first run's by more than chance allows: on the examples that both runs have, an AUC by the
// jackknife over clusters (auc_difference of stat/clustered_auc.h), a mean by the paired permutation
// test that flips whole clusters. Holm's correction is over the tests of one column, so that in each
// column the chance of any wrong mark is at most 1 - confidence.
//
// A metric is its name and its parameters: the same name with other parameters stands in a column of
// its own and is never tested against it. Parameters that a file does not record count as equal, and a
// note says so.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/result_table.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest {

struct RunCell {
  std::optional<double> value;
  std::optional<Interval> interval = {};
  // Against the first run; undefined without shared examples, and for an AUC with fewer than
  // kFewestClusters clusters in a set.
  std::optional<double> p_value = {};
  std::optional<double> holm_p_value = {};  // corrected for all tests of the column
  bool differs = false;                     // holm_p_value <= 1 - confidence
};

struct RunTable {
  std::vector<std::string> runs;
  std::vector<std::string> metrics;            // labels; every metric that some run has, AUCs first
  std::vector<std::vector<RunCell>> cells;     // [run][metric]
  std::vector<std::optional<Answer>> answers;  // one per run
  double confidence = 0.95;
  std::vector<std::string> notes;  // which metrics are not comparable, which may not be
};

// `seed` is that of the permutations.
RunTable compare_runs(std::span<const RunResults> runs, double confidence = 0.95,
                      uint64_t seed = 0);

// "differs from original (paired tests over clusters, Holm-corrected per column, 95%)": what the marks
// of a table of several runs mean.
std::string marks_legend(const RunTable& table);

// A column `model`, then one per metric, then `verdict` where some run has an answer; in JSON the
// whole answer stands beside it.
ResultTable to_result_table(const RunTable& table);

}  // namespace palimpsest
