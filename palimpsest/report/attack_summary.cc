#include "palimpsest/report/attack_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/effective_epsilon.h"
#include "palimpsest/stat/roc.h"

namespace palimpsest::report {
namespace {

using Value = std::optional<double>;

Value advantage_of(const stat::Confusion& counts) {
  const Value tpr = counts.true_positive_rate();
  const Value fpr = counts.false_positive_rate();
  if (!tpr || !fpr) return std::nullopt;
  return *tpr - *fpr;
}

Value accuracy_of(const stat::Confusion& counts) {
  const int64_t all = counts.positives() + counts.negatives();
  if (all == 0) return std::nullopt;
  return static_cast<double>(counts.true_positives + counts.true_negatives) /
         static_cast<double>(all);
}

struct MetricEntry {
  SummaryMetric metric;
  Value (*compute)(const AttackSummary&);
};

const MetricEntry kMetrics[] = {
    {{"accuracy", false}, [](const AttackSummary& s) { return accuracy_of(s.counts); }},
    {{"true_positive_rate"}, [](const AttackSummary& s) { return s.counts.true_positive_rate(); }},
    {{"false_positive_rate"},
     [](const AttackSummary& s) { return s.counts.false_positive_rate(); }},
    {{"mia_advantage"}, [](const AttackSummary& s) { return advantage_of(s.counts); }},
    {{"privacy_gain"},
     [](const AttackSummary& s) -> Value {
       const Value advantage = advantage_of(s.counts);
       if (!advantage) return std::nullopt;
       return 1 - *advantage;
     }},
    {{"auc"}, [](const AttackSummary& s) { return stat::auc(s.scores); }},
    {{"effective_epsilon"},
     [](const AttackSummary& s) {
       return s.has_scores ? stat::effective_epsilon(s.scores) : stat::effective_epsilon(s.counts);
     }},
};

// 1 for the positive class, 0 for others; Error where only 0 and 1 may be.
std::vector<int> to_binary(const std::vector<int32_t>& codes,
                           const std::vector<ScoreClass>& classes, const char* what,
                           const SummaryOptions& options) {
  std::vector<int> binary_of_class;
  for (const auto& [name, where] : classes) {
    const bool positive = name == options.positive_label.value_or("1");
    const bool known = positive || options.positive_label.has_value() || name == "0";
    binary_of_class.push_back(known ? (positive ? 1 : 0) : -1);
  }
  std::vector<int> binary;
  binary.reserve(codes.size());
  for (int32_t code : codes) {
    binary.push_back(binary_of_class[static_cast<size_t>(code)]);
    if (binary.back() >= 0) continue;
    const ScoreClass& wrong = classes[static_cast<size_t>(code)];
    throw Error({.what = fmt::format("a {} is neither 0 nor 1", what),
                 .where = wrong.where,
                 .found = fmt::format("'{}'", wrong.name),
                 .hint = "say with --positive-label which one is positive, or ask for --metrics "
                         "accuracy, which allows any number of classes"});
  }
  return binary;
}

stat::Confusion count_predictions(const std::vector<int>& labels,
                                  const std::vector<int>& predictions) {
  stat::Confusion counts;
  for (size_t i = 0; i < labels.size(); ++i) {
    int64_t& count = labels[i] == 1
                         ? (predictions[i] == 1 ? counts.true_positives : counts.false_negatives)
                         : (predictions[i] == 1 ? counts.false_positives : counts.true_negatives);
    ++count;
  }
  return counts;
}

// Chooses the threshold on the validation part and counts on the rest.
void choose_threshold(AttackSummary& summary, const SummaryOptions& options) {
  const stat::TwoStepOptions split{
      .validation_split = options.validation_split, .split = options.split, .seed = options.seed};
  summary.validation = stat::validation_items(summary.labels, split);
  stat::LabelledScores parts[2];
  for (size_t i = 0; i < summary.labels.size(); ++i) {
    stat::LabelledScores& part = parts[summary.validation[i] ? 0 : 1];
    (summary.labels[i] == 1 ? part.positives : part.negatives)
        .push_back(summary.scores_in_order[i]);
  }
  const std::optional<stat::BestThreshold> best = stat::advantage(parts[0]);
  if (!best) return;  // one class only: no threshold, and the rates stay undefined
  summary.threshold = best->threshold;
  summary.counts = stat::confusion_at(parts[1], best->threshold);
}

// Accuracy alone, of any number of classes.
AttackSummary summarize_classes(const AttackRows& rows, const std::vector<ScoreClass>& classes,
                                const SummaryOptions& options) {
  if (rows.predictions.empty()) {
    throw Error({.what = "the accuracy of several classes needs a column 'prediction'",
                 .where = classes[static_cast<size_t>(rows.labels[0])].where,
                 .hint = "add the predictions, or say with --positive-label which class is "
                         "positive"});
  }
  int64_t right = 0;
  for (size_t i = 0; i < rows.labels.size(); ++i)
    right += rows.labels[i] == rows.predictions[i] ? 1 : 0;
  AttackSummary summary{.values = rows.values, .rows = static_cast<int64_t>(rows.labels.size())};
  // A right prediction counts as a true positive, a wrong one as a false negative: one stratum.
  summary.counts = {.true_positives = right, .false_negatives = summary.rows - right};
  summary.metrics.assign(options.metrics.size(), {accuracy_of(summary.counts)});
  return summary;
}

bool all_binary(const AttackRows& rows, const std::vector<ScoreClass>& classes) {
  auto is_binary = [&](int32_t code) {
    const std::string& name = classes[static_cast<size_t>(code)].name;
    return name == "0" || name == "1";
  };
  return std::ranges::all_of(rows.labels, is_binary) &&
         std::ranges::all_of(rows.predictions, is_binary);
}

}  // namespace

std::span<const SummaryMetric> summary_metrics() {
  static const std::vector<SummaryMetric> metrics = [] {
    std::vector<SummaryMetric> all;
    for (const MetricEntry& entry : kMetrics) all.push_back(entry.metric);
    return all;
  }();
  return metrics;
}

std::vector<size_t> select_summary_metrics(const std::string& names) {
  std::vector<size_t> selected;
  auto add = [&](size_t number) {
    if (std::ranges::find(selected, number) == selected.end()) selected.push_back(number);
  };
  for (size_t begin = 0; begin <= names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    begin = end + 1;
    bool known = false;
    for (size_t i = 0; i < std::size(kMetrics); ++i) {
      if (name != "all" && name != kMetrics[i].metric.name) continue;
      add(i);
      known = true;
    }
    if (known) continue;
    std::vector<std::string_view> all = {"all"};
    for (const MetricEntry& entry : kMetrics) all.push_back(entry.metric.name);
    throw Error({.what = fmt::format("there is no metric '{}'", name),
                 .expected = fmt::format("{}", fmt::join(all, ", "))});
  }
  return selected;
}

AttackSummary summarize_attack(const AttackRows& rows, const std::vector<ScoreClass>& classes,
                               const SummaryOptions& options) {
  const bool any_binary = std::ranges::any_of(
      options.metrics, [](size_t metric) { return kMetrics[metric].metric.binary; });
  if (!any_binary && !options.positive_label && !all_binary(rows, classes))
    return summarize_classes(rows, classes, options);
  AttackSummary summary{.values = rows.values, .rows = static_cast<int64_t>(rows.labels.size())};
  summary.labels = to_binary(rows.labels, classes, "label", options);
  summary.has_scores = !rows.scores.empty();
  summary.scores_in_order = rows.scores;
  std::vector<double> served;
  if (rows.predictions.empty()) {
    choose_threshold(summary, options);
  } else {
    const std::vector<int> predictions =
        to_binary(rows.predictions, classes, "prediction", options);
    summary.counts = count_predictions(summary.labels, predictions);
    if (!summary.has_scores) served.assign(predictions.begin(), predictions.end());
  }
  summary.scores = stat::split_by_label(summary.labels, summary.has_scores ? rows.scores : served);
  for (size_t metric : options.metrics)
    summary.metrics.push_back({kMetrics[metric].compute(summary)});
  return summary;
}

std::vector<AttackSummary> summarize_attacks(const ScoresTable& table,
                                             const SummaryOptions& options) {
  std::vector<AttackSummary> summaries(table.attacks.size());
  const auto count = static_cast<int64_t>(summaries.size());
  parallel_for(count, options.threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto number = static_cast<size_t>(i);
      summaries[number] = summarize_attack(table.attacks[number], table.classes, options);
    }
  });
  return summaries;
}

}  // namespace palimpsest::report
