// What an attack achieved in one setting, with the metrics of TAPAS' attack summaries:
//
//   accuracy             share of right predictions; for labels of any number of classes
//   true_positive_rate   share of the positives called positive
//   false_positive_rate  share of the negatives called positive
//   mia_advantage        true_positive_rate - false_positive_rate
//   privacy_gain         1 - mia_advantage (Stadler et al. 2022)
//   auc                  area under the ROC curve of the scores, ties half
//   effective_epsilon    see stat/effective_epsilon.h: of the scores, over significant thresholds
//
// If there are no predictions, the threshold with the largest TPR - FPR on a validation part is
// chosen, and the first five metrics are measured on the remaining rows. If there are no scores,
// the predictions are used as scores, also for effective_epsilon. Undefined values (a rate of
// nothing, an AUC of one class) are nullopt.
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
  bool binary = true;  // needs two classes
};

// All of the above, in that order.
std::span<const SummaryMetric> summary_metrics();

// The positions in summary_metrics() of the metrics that a comma-separated list names; "all" names
// all of them. Throws Error for an unknown name; the message lists the known ones.
std::vector<size_t> select_summary_metrics(const std::string& names);

struct SummaryOptions {
  std::vector<size_t> metrics = {};  // which to compute, as select_summary_metrics() gives them
  // Labels and predictions equal to this are positive, all others negative. nullopt: they must be 0
  // and 1 if a binary metric is asked for.
  std::optional<std::string> positive_label = {};
  // How the validation part is drawn where predictions are absent.
  double validation_split = 0.1;
  stat::ValidationSplit split = stat::ValidationSplit::kStratified;
  uint64_t seed = 0;
  int threads = 0;  // 0: one for each core; nothing depends on it
};

struct MetricValue {
  std::optional<double> value;
  std::optional<stat::Interval> interval = {};
};

// The summary of one attack. It differs from a RunMetric: it is computed from the labelled scores
// and predictions of a file, with any number of classes, and knows no forget and holdout sets and
// no clusters.
struct AttackSummary {
  std::vector<std::string> values;  // one per column of the table that it was computed from
  int64_t rows = 0;
  std::vector<MetricValue> metrics;  // one per metric asked for

  // The rest is empty where only accuracy was asked for.
  stat::LabelledScores scores;  // of all rows; 1 and 0 if predictions are used as scores
  bool has_scores = false;
  std::vector<int> labels;              // 1 and 0, in the order of the file
  std::vector<double> scores_in_order;  // likewise; empty if predictions are used as scores
  stat::Confusion counts;           // of the predictions, or of the remaining rows at the threshold
  std::optional<double> threshold;  // where predictions are absent
  // Per row: whether it is in the validation part, if there is one.
  std::vector<bool> validation = {};
};

// One summary. Throws Error for labels or predictions other than 0 and 1 if a binary metric needs
// them.
AttackSummary summarize_attack(const AttackRows& rows, const std::vector<ScoreClass>& classes,
                               const SummaryOptions& options);

// One summary per attack of the table.
std::vector<AttackSummary> summarize_attacks(const ScoresTable& table,
                                             const SummaryOptions& options);

}  // namespace palimpsest::report
