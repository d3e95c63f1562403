// Scores of two classes: the input of every ROC, interval and epsilon here. A higher score means
// "more likely positive"; which class counts as positive is the caller's choice, made once at the
// edge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace palimpsest::stat {

struct LabelledScores {
  std::vector<double> positives;
  std::vector<double> negatives;

  int64_t positive_count() const { return static_cast<int64_t>(positives.size()); }
  int64_t negative_count() const { return static_cast<int64_t>(negatives.size()); }
  // Whether both classes are there; most statistics are undefined otherwise.
  bool has_both_classes() const { return !positives.empty() && !negatives.empty(); }
};

// Label 1 is positive, 0 negative. Throws Error (with the item's number) if the lengths differ, a
// label is another number, or a score is NaN or infinite.
LabelledScores split_by_label(std::span<const int> labels, std::span<const double> scores);

// Throws Error if a score is NaN or infinite. `what` names the set in the message.
void require_finite_scores(std::span<const double> scores, const char* what);

// All items that share one score.
struct ScoreGroup {
  double score = 0;
  int64_t positives = 0;
  int64_t negatives = 0;

  friend bool operator==(const ScoreGroup&, const ScoreGroup&) = default;
};

// The groups in ascending order of their score: the form in which a ROC curve, an AUC or an epsilon
// is a single pass.
std::vector<ScoreGroup> group_scores(const LabelledScores& scores);

// Sorts in place; a radix sort for long arrays, since comparing is what makes sorting slow.
void sort_ascending(std::vector<double>& values);

}  // namespace palimpsest::stat
