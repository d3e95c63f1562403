// Models beside each other: a row a run, a column a metric. A number is marked where it differs from
// the first run's by more than chance allows: on the examples that both runs have, by DeLong's paired
// test for an AUC, by the paired permutation test for a mean, with Holm's correction over all tests of
// the table, so that the chance of any wrong mark is at most 1 - confidence.
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
  std::optional<double> p_value = {};  // against the first run; undefined without shared examples
  std::optional<double> holm_p_value = {};  // corrected for all tests of the table
  bool differs = false;                     // holm_p_value <= 1 - confidence
};

struct RunTable {
  std::vector<std::string> runs;
  std::vector<std::string> metrics;         // every metric that some run has, AUCs first
  std::vector<std::vector<RunCell>> cells;  // [run][metric]
  double confidence = 0.95;
};

// `seed` is that of the permutations.
RunTable compare_runs(std::span<const RunResults> runs, double confidence = 0.95,
                      uint64_t seed = 0);

// A column `model`, then one a metric.
ResultTable to_result_table(const RunTable& table);

}  // namespace palimpsest
