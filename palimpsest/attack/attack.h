// A membership-inference attack: a score of one example, computed from its trace, or from its trace
// and a reference model's trace of the same example. For every attack here higher means LESS likely
// a member (less familiar to the model).
//
// To add an attack, add a file with its formula and its table row, and one line in
// default_attack_table(). The table is a value that owns everything it holds. A program that embeds
// the library copies it, appends its own row (the functions may be lambdas with captures) and
// passes the copy on. `palimpsest eval` makes a metric of every row (eval/mia_metric.h).
//
// The functions of a row are called one at a time from the thread that requests the scores, unless
// the row sets `any_thread`. All rows of default_attack_table() set it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/trace/trace.h"

namespace palimpsest::attack {

// The values of an attack's parameters, in the order in which it declares them.
using ParameterValues = std::vector<std::pair<std::string, double>>;
// The value of the parameter `name`. Throws Error if there is none, because an attack may read only
// the parameters that it declares.
double parameter_value(const ParameterValues& values, std::string_view name);

// Which values a parameter may take.
struct ParameterRange {
  std::string expected;  // as messages put it: "a norm: 1, 2 or inf"
  std::function<bool(double)> contains;
};

// What can be set for one attack, as in "min_k:k=0.3".
struct AttackParameter {
  std::string name;
  std::string meaning;
  double default_value = 0;
  ParameterRange range;
  std::vector<double> sweep = {};  // values that "k=sweep" expands to; empty: no sweep
  // Whether a common setting for all attacks (such as -k on the command line) applies to it.
  // Attacks that share such a parameter have the same default.
  bool is_common = false;
};

// A part of a trace that an attack may need. A trace without labelled tokens meets every need.
struct TraceNeed {
  std::string name;  // as messages put it: "'mean' and 'var'"
  std::function<bool(const trace::Trace&, const ParameterValues&)> is_met;
  // The key of Trace::grad_norm that the attack reads, if any. A run computes only the norms that
  // are needed.
  std::function<std::string(const ParameterValues&)> gradient_norm = {};
};

// The needs that the attacks of this library declare.
TraceNeed needs_loss();
TraceNeed needs_logprob();
TraceNeed needs_mean();
TraceNeed needs_moments();
TraceNeed needs_argmax();
TraceNeed needs_text();
TraceNeed needs_grad_norm();  // of the attack's parameter 'p'

// The costs of most attacks, as texts for Attack::cost.
inline constexpr const char* kOnePass = "one forward pass per example; no memory of its own";
inline constexpr const char* kTwoModels =
    "one forward pass of each of two models, which need not be in memory together";

struct Attack {
  std::string name;       // on the command line and in files
  std::string measures;   // one line each for `palimpsest list attacks`
  std::string cost = {};  // passes and memory
  std::vector<AttackParameter> parameters = {};
  std::string use = {};    // when to use it
  std::string avoid = {};  // when not
  std::string paper = {};
  std::vector<TraceNeed> needs = {};
  // What `compare` needs of the reference model's trace.
  std::vector<TraceNeed> reference_needs = {};
  // Exactly one of the two is set. `score` computes a score from the trace alone; `compare`
  // computes it from the trace and a reference model's trace of the same tokens. nullopt means that
  // the score is undefined (no labelled token). Both are called only if the needs are met.
  std::function<std::optional<double>(const trace::Trace&, const ParameterValues&)> score = {};
  std::function<std::optional<double>(const trace::Trace&, const trace::Trace& reference,
                                      const ParameterValues&)>
      compare = {};
  // Whether score, compare and the needs may be called from several threads at once.
  bool any_thread = false;
  // The parameters that select_attacks() was asked to set. The others have their defaults.
  ParameterValues given = {};

  bool needs_reference() const { return compare != nullptr; }
  // The values of all parameters: those given, and the defaults of the others.
  ParameterValues values() const;
  // `reference` is read only by an attack that needs it; `values` are values().
  std::optional<double> score_of(const trace::Trace& trace, const trace::Trace* reference,
                                 const ParameterValues& values) const;
};

using AttackTable = std::vector<Attack>;
const AttackTable& default_attack_table();

// Throws Error for a row that no report could hold. The name must not be empty, used twice,
// impossible to select, or reserved ("all" selects every attack, and "audit" is the key of mia.json
// for results about all attacks). Exactly one of score and compare must be set. Parameters must
// have different names, and defaults and sweeps within their ranges.
void require_valid(const AttackTable& table);

// A parameter with is_common, and the names of the attacks that have it. common_parameters() lists
// each such parameter once.
struct CommonParameter {
  AttackParameter parameter;
  std::vector<std::string> attacks;
};
std::vector<CommonParameter> common_parameters(const AttackTable& table);

// Selects attacks. `names` is "all" or a comma-separated list of names, each optionally with
// parameters:
//
//   loss,min_k:k=0.3,surp:k=0.5:entropy=1
//   min_k:k=sweep        // min_k:k=0.1, min_k:k=0.2 … min_k:k=1
//
// A selected attack is named as it was asked for ("min_k:k=0.3"), so that one attack may stand in a
// report with several settings. `common` sets common parameters for all attacks that have them,
// unless `names` sets them. Throws Error for an unknown name (the message lists the known ones), an
// unknown parameter, a value out of range, or an invalid table.
AttackTable select_attacks(const AttackTable& table, std::string_view names,
                           const ParameterValues& common = {});

// The keys of Trace::grad_norm that these attacks read, which a run has to compute for them.
std::vector<std::string> gradient_norms_of(const AttackTable& attacks);

// Throws Error unless the value is in the parameter's range. `owner` is an attack's name.
void require_in_range(const AttackParameter& parameter, double value, std::string_view owner);

}  // namespace palimpsest::attack
