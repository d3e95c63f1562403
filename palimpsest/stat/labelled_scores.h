// Scores of two classes: the input of all ROC curves, intervals and epsilons here. A higher score
// means "more likely positive". The caller chooses which class is positive, and changes the
// sign of the scores if necessary. Functions take a ScoresView, which copies nothing, so that
// scores may lie in the arrays of another language; LabelledScores owns its scores.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <vector>

namespace palimpsest::stat {

// A view of the scores of one class. The scores lie elsewhere and must outlive the view. Use it
// only for parameters of functions: a list in braces lives no longer than the call that it is
// passed to.
class ScoreSpan : public std::span<const double> {
 public:
  ScoreSpan() = default;
  ScoreSpan(std::span<const double> scores) : span(scores) {}
  ScoreSpan(const std::vector<double>& scores) : span(scores) {}
  ScoreSpan(std::initializer_list<double> scores) : span(std::data(scores), scores.size()) {}
};

// The same for both classes. All scores must be finite. Functions that take a view do not check
// this; require_finite_scores() and split_by_label() do.
struct ScoresView {
  ScoreSpan positives = {};
  ScoreSpan negatives = {};

  int64_t positive_count() const { return static_cast<int64_t>(positives.size()); }
  int64_t negative_count() const { return static_cast<int64_t>(negatives.size()); }
  // Whether both classes have items. Most statistics are undefined otherwise.
  bool has_both_classes() const { return !positives.empty() && !negatives.empty(); }
};

struct LabelledScores {
  std::vector<double> positives;
  std::vector<double> negatives;

  // Implicit, so that every function that takes a view takes these scores.
  operator ScoresView() const { return {positives, negatives}; }
  int64_t positive_count() const { return static_cast<int64_t>(positives.size()); }
  int64_t negative_count() const { return static_cast<int64_t>(negatives.size()); }
  bool has_both_classes() const { return !positives.empty() && !negatives.empty(); }
};

// Label 1 is positive, label 0 negative. Throws Error, with the number of the item, if the lengths
// differ, if a label is neither, or if a score is NaN or infinite.
LabelledScores split_by_label(std::span<const int> labels, std::span<const double> scores);

// Throws Error if a score is NaN or infinite. `what` names the set in the message.
void require_finite_scores(std::span<const double> scores, const char* what);

// The numbers of items that have the same score.
struct ScoreGroup {
  double score = 0;
  int64_t positives = 0;
  int64_t negatives = 0;

  friend bool operator==(const ScoreGroup&, const ScoreGroup&) = default;
};

// The groups in ascending order of their scores. In this form, a ROC curve, an AUC or an epsilon
// takes a single pass.
std::vector<ScoreGroup> group_scores(const ScoresView& scores);

// Sorts in place. Long arrays get a radix sort, which is faster than sorting by comparison.
void sort_ascending(std::vector<double>& values);

}  // namespace palimpsest::stat
