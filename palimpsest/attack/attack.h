// A membership-inference attack: a score of one example, computed from its trace alone. For every
// attack here higher means LESS likely a member (less familiar to the model).
//
// Adding one is adding a file with its formula and one line in default_attack_table(). The table is
// a value: a program that embeds the library copies it, appends its own line and passes the copy
// on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/trace/trace.h"

namespace palimpsest {

struct AttackOptions {
  double k = 0.2;  // share of the lowest tokens that Min-K and Min-K++ use, in (0, 1]
};

// Throws Error unless the options are in range.
void require_valid(const AttackOptions& options);

// A part of a trace that an attack may need.
struct TraceNeed {
  std::string_view name;  // as messages put it: "'mean' and 'var'"
  bool (*is_met)(const Trace&);
};

struct Attack {
  std::string_view name;      // on the command line and in files
  std::string_view measures;  // one line for `palimpsest list attacks`
  std::string_view cost;
  std::string_view parameters;  // "" if there are none
  std::string_view use;         // when to use it, and when not
  std::vector<TraceNeed> needs;
  // nullopt: the score is undefined (no labelled token). Called only if the needs are met.
  std::optional<double> (*score)(const Trace&, const AttackOptions&);
};

using AttackTable = std::vector<Attack>;
const AttackTable& default_attack_table();

// "all" or a comma-separated list of names; an unknown name is an Error that lists the known ones.
AttackTable select_attacks(const AttackTable& table, std::string_view names);

// The needs that attacks of this library declare.
extern const TraceNeed kNeedsLoss;
extern const TraceNeed kNeedsLogprob;
extern const TraceNeed kNeedsMoments;
extern const TraceNeed kNeedsText;

}  // namespace palimpsest
