// What an attack achieved in one setting: TAPAS' attack summaries.
//
//   accuracy             share of right predictions; for labels of any number of classes
//   true_positive_rate   share of the positives called positive
//   false_positive_rate  share of the negatives called positive
//   mia_advantage        true_positive_rate - false_positive_rate
//   privacy_gain         1 - mia_advantage (Stadler et al. 2022)
//   auc                  area under the ROC curve of the scores, ties half
//   effective_epsilon    see stat/effective_epsilon.h: of the scores, over significant thresholds
//
// Without predictions a threshold is chosen on a validation part, where TPR - FPR is largest, and the
// first five are measured on the rest. Without scores the predictions serve as scores: then
// effective_epsilon is that of the predictions. What is undefined (a rate of nothing, an AUC of one
// class) is nullopt.
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

namespace palimpsest {

struct SummaryMetric {
  std::string_view name;
  bool binary = true;  // needs two classes
};

// All of the above, in that order.
std::span<const SummaryMetric> summary_metrics();

// The numbers of the metrics that a comma-separated list names; "all" names all. Throws Error for an
// unknown name, with those that there are.
std::vector<size_t> select_summary_metrics(const std::string& names);

struct SummaryOptions {
  std::vector<size_t> metrics = {};  // which to compute, as select_summary_metrics() gives them
  // Labels and predictions equal to this are positive, all others negative. nullopt: they must be 0
  // and 1 if a binary metric is asked for.
  std::optional<std::string> positive_label = {};
  // How the validation part is drawn where predictions are absent.
  double validation_split = 0.1;
  ValidationSplit split = ValidationSplit::kStratified;
  uint64_t seed = 0;
};

struct MetricValue {
  std::optional<double> value;
  std::optional<Interval> interval = {};
};

struct AttackSummary {
  std::vector<std::string> values;  // of the columns of the table it is from
  int64_t rows = 0;
  std::vector<MetricValue> metrics;  // one a metric asked for

  // The rest is empty where only accuracy was asked for.
  LabelledScores scores;  // of all rows; 1 and 0 where predictions serve
  bool has_scores = false;
  std::vector<int> labels;              // 1 and 0, in the order of the file
  std::vector<double> scores_in_order;  // likewise; empty where predictions serve
  Confusion counts;                     // of the predictions, or of the rest at the threshold
  std::optional<double> threshold;      // where predictions are absent
  std::vector<bool> validation = {};    // a flag a row, likewise
};

// One summary. Throws Error for labels or predictions other than 0 and 1 where they must be.
AttackSummary summarize_attack(const AttackRows& rows, const std::vector<ScoreClass>& classes,
                               const SummaryOptions& options);

// One summary an attack of the table.
std::vector<AttackSummary> summarize_attacks(const ScoresTable& table,
                                             const SummaryOptions& options);

}  // namespace palimpsest
