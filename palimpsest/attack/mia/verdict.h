// An AUC and its interval in words. One table, by the distance |AUC - ½|:
//
//   interval contains ½ and at most 0.05  indistinguishable
//   interval contains ½                   inconclusive: more examples are needed
//   at most 0.10                          weak
//   at most 0.25                          moderate
//   at most 0.45                          strong
//   more                                  plain
//
// The direction is that of the AUC: above ½ the forget set is still remembered, below it is
// over-forgotten, which gives it away as well. Words for a first look; the interval is the result.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "palimpsest/stat/interval.h"

namespace palimpsest {

enum class VerdictLevel { kIndistinguishable, kInconclusive, kWeak, kModerate, kStrong, kPlain };
enum class VerdictDirection { kNone, kRemembered, kOverForgotten };

struct Verdict {
  VerdictLevel level = VerdictLevel::kIndistinguishable;
  VerdictDirection direction = VerdictDirection::kNone;  // kNone for the first two levels
  std::string_view name;                                 // of the level: "moderate"
  std::string_view action;                               // the one thing to do next

  // "indistinguishable", "moderate, still remembered", "weak, over-forgotten".
  std::string words() const;
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// `auc` must lie in [0, 1].
Verdict verdict_of(double auc, const Interval& interval);

// Every verdict that there is, in the order of the table, remembered before over-forgotten.
std::span<const Verdict> all_verdicts();

}  // namespace palimpsest
