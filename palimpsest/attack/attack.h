// A membership-inference attack: a score of one example, computed from its trace, or from its trace
// and a reference model's trace of the same example. For every attack here higher means LESS likely
// a member (less familiar to the model).
//
// Adding one is adding a file with its formula and one line in default_attack_table(). The table is
// a value: a program that embeds the library copies it, appends its own line and passes the copy
// on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/trace/trace.h"

namespace palimpsest {

struct AttackOptions {
  double k = 0.2;             // share of the lowest tokens that Min-K and Min-K++ use, in (0, 1]
  double p = 2;               // which norm GradNorm uses: 1, 2 or infinity
  double surp_k = 0.4;        // share of the lowest tokens that SURP looks among, in (0, 1]
  double surp_entropy = 2.0;  // nats: SURP keeps tokens where the model's entropy is below, > 0
};

// Throws Error unless the options are in range.
void require_valid(const AttackOptions& options);

// A part of a trace that an attack may need. A trace without any labelled token needs nothing.
struct TraceNeed {
  std::string_view name;  // as messages put it: "'mean' and 'var'"
  bool (*is_met)(const Trace&, const AttackOptions&);
};

// What can be set for one attack alone, as in "min_k:k=0.3".
struct AttackParameter {
  std::string_view name;
  std::string_view meaning;
  double AttackOptions::*field;
  std::vector<double> sweep;  // what "k=sweep" stands for; empty: it has no sweep
};

struct Attack {
  std::string name;           // on the command line and in files
  std::string_view measures;  // one line each for `palimpsest list attacks`
  std::string_view cost;      // passes and memory
  std::vector<AttackParameter> parameters;
  std::string_view use;    // when to use it
  std::string_view avoid;  // when not
  std::string_view paper;
  std::vector<TraceNeed> needs;
  std::vector<TraceNeed> reference_needs;  // of the reference model's trace, if there is `compare`
  // One of the two: a score from the trace alone, or against a reference model's trace of the same
  // tokens. nullopt: the score is undefined (no labelled token). Called only if the needs are met.
  std::optional<double> (*score)(const Trace&, const AttackOptions&) = nullptr;
  std::optional<double> (*compare)(const Trace&, const Trace& reference,
                                   const AttackOptions&) = nullptr;
  // What select_attacks() was told for this attack alone; it goes before the options of all.
  std::vector<std::pair<double AttackOptions::*, double>> given = {};

  bool needs_reference() const { return compare != nullptr; }
  // The options of all attacks with this one's own put in.
  AttackOptions own_options(AttackOptions options) const;
};

using AttackTable = std::vector<Attack>;
const AttackTable& default_attack_table();

// "all", or a comma-separated list of names, each with parameters if wanted:
//
//   loss,min_k:k=0.3,surp:k=0.5:entropy=1
//   min_k:k=sweep        // min_k:k=0.1, min_k:k=0.2 … min_k:k=1
//
// A selected attack is named as it was asked for ("min_k:k=0.3"), so that one attack may stand in a
// report with several settings. An unknown name is an Error that lists the known ones, so is an
// unknown parameter or a value out of range.
AttackTable select_attacks(const AttackTable& table, std::string_view names);

// The keys of Trace::grad_norm that these attacks read: what a run has to compute for them.
std::vector<std::string> gradient_norms_of(const AttackTable& attacks,
                                           const AttackOptions& options);

// The needs that attacks of this library declare.
extern const TraceNeed kNeedsLoss;
extern const TraceNeed kNeedsLogprob;
extern const TraceNeed kNeedsMean;
extern const TraceNeed kNeedsMoments;
extern const TraceNeed kNeedsArgmax;
extern const TraceNeed kNeedsText;
extern const TraceNeed kNeedsGradNorm;

}  // namespace palimpsest
