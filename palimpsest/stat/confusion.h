// The four counts of a two-class decision, and the rates computed from them.
#pragma once

#include <cstdint>
#include <optional>

#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

struct Confusion {
  int64_t true_positives = 0;
  int64_t false_negatives = 0;
  int64_t false_positives = 0;
  int64_t true_negatives = 0;

  int64_t positives() const { return true_positives + false_negatives; }
  int64_t negatives() const { return false_positives + true_negatives; }
  // nullopt if there are no positives (for the first) or no negatives (for the second).
  std::optional<double> true_positive_rate() const;
  std::optional<double> false_positive_rate() const;

  // The same decision seen from the other class: negatives become positives.
  Confusion swapped() const {
    return {true_negatives, false_positives, false_negatives, true_positives};
  }

  friend bool operator==(const Confusion&, const Confusion&) = default;
};

// The decision that calls an item positive if its score is at least the threshold.
Confusion confusion_at(const ScoresView& scores, double threshold);

}  // namespace palimpsest::stat
