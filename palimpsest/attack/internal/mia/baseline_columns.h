// The scores of a baseline model (one that never saw the forget set), brought into the order of the
// audited examples.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/attack/trace_scores.h"

namespace palimpsest::attack {

struct BaselineColumn {
  ScoreColumn forget;
  ScoreColumn holdout;
  std::string lacking;  // what the baseline's traces lack for this attack; then there are no scores

  ScoreColumns columns() const { return {forget, holdout}; }
};

// The sets of the baseline model may hold more examples, in any order. Throws Error where an audited
// example is missing or has another text. One column per attack of `attacks`, numbers in the table.
std::vector<BaselineColumn> baseline_columns(
    const std::pair<const TraceScores*, const TraceScores*>& audited,
    const std::pair<const TraceScores*, const TraceScores*>& baseline,
    std::span<const size_t> attacks);

}  // namespace palimpsest::attack
