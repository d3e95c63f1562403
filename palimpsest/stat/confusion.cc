#include "palimpsest/stat/confusion.h"

#include <algorithm>

namespace palimpsest::stat {
namespace {

std::optional<double> ratio(int64_t part, int64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::optional<double> Confusion::true_positive_rate() const {
  return ratio(true_positives, positives());
}

std::optional<double> Confusion::false_positive_rate() const {
  return ratio(false_positives, negatives());
}

Confusion confusion_at(const ScoresView& scores, double threshold) {
  auto at_least = [threshold](std::span<const double> values) -> int64_t {
    return std::count_if(values.begin(), values.end(), [=](double v) { return v >= threshold; });
  };
  Confusion counts{.true_positives = at_least(scores.positives),
                   .false_positives = at_least(scores.negatives)};
  counts.false_negatives = scores.positive_count() - counts.true_positives;
  counts.true_negatives = scores.negative_count() - counts.false_positives;
  return counts;
}

}  // namespace palimpsest::stat
