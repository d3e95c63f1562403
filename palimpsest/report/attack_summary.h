// Summarises how successful an attack is in one setting, such as against one generator and one
// target on one data set (scores_file.h). It uses the metrics of TAPAS, a toolbox that audits the
// privacy of synthetic data:
//
//   accuracy             share of correct predictions; allows any number of classes
//   true_positive_rate   share of the positives that are called positive
//   false_positive_rate  share of the negatives that are called positive
//   mia_advantage        true_positive_rate - false_positive_rate
//   privacy_gain         1 - mia_advantage (Stadler et al. 2022)
//   auc                  area under the ROC curve of the scores, with ties counted half
//   effective_epsilon    of the scores, over significant thresholds (stat/effective_epsilon.h)
//
// If there are no predictions, the rows are divided into a validation part and the rest. The
// threshold with the largest TPR - FPR on the validation part is chosen, and the first five metrics
// are measured on the rest. If there are no scores, the predictions are used as scores, also for
// effective_epsilon. Undefined values (such as an AUC of one class) are nullopt.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/report/scores_file.h"
#include "palimpsest/stat/confusion.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"
#include "palimpsest/stat/two_step_epsilon.h"

namespace palimpsest::report {

struct SummaryMetric {
  std::string_view name;
  bool binary = true;  // whether it needs exactly two classes
};

// All metrics listed above, in that order.
std::span<const SummaryMetric> summary_metrics();

// The positions in summary_metrics() of the metrics in a comma-separated list; "all" means all of
// them. Throws Error for an unknown name; the message lists the known ones.
std::vector<size_t> select_summary_metrics(const std::string& names);

struct SummaryOptions {
  // The metrics to compute, as select_summary_metrics() returns them.
  std::vector<size_t> metrics = {};
  // Labels and predictions equal to this are positive, and all others are negative. If it is absent
  // and a binary metric is requested, they must be 0 and 1.
  std::optional<std::string> positive_label = {};
  // How the validation part is drawn if there are no predictions.
  double validation_split = 0.1;
  stat::ValidationSplit split = stat::ValidationSplit::kStratified;
  uint64_t seed = 0;
  int threads = 0;  // 0: one per core; the result does not depend on it
};

struct MetricValue {
  std::optional<double> value;
  std::optional<stat::Interval> interval = {};
};

// The summary of one attack. It differs from a RunMetric (run_results.h): it is computed from
// labelled scores and predictions in a file, with any number of classes. It does not distinguish
// forget and holdout sets and has no clusters.
struct AttackSummary {
  std::vector<std::string> values;  // one per column of the table from which it was computed
  int64_t rows = 0;
  std::vector<MetricValue> metrics;  // one per requested metric

  // The fields below are empty if only accuracy was requested.
  stat::LabelledScores scores;  // of all rows; 1 and 0 if predictions serve as scores
  bool has_scores = false;
  std::vector<int> labels;              // 1 and 0, in the order of the file
  std::vector<double> scores_in_order;  // in the same order; empty if predictions serve as scores
  // The counts of right and wrong decisions: of the predictions or, if there are none, of the rows
  // outside the validation part at the chosen threshold.
  stat::Confusion counts;
  std::optional<double> threshold;  // the chosen threshold, if there are no predictions
  // One flag per row: whether it is in the validation part. Empty if there is no such part.
  std::vector<bool> validation = {};
};

// Summarises one attack. Throws Error for labels or predictions other than 0 and 1 if a binary
// metric needs them.
AttackSummary summarize_attack(const AttackRows& rows, const std::vector<ScoreClass>& classes,
                               const SummaryOptions& options);

// Returns one summary per attack of the table.
std::vector<AttackSummary> summarize_attacks(const ScoresTable& table,
                                             const SummaryOptions& options);

}  // namespace palimpsest::report
