// A membership-inference attack: a score of one example, computed from its trace, or from its trace
// and a reference model's trace of the same example. For every attack here higher means LESS likely
// a member (less familiar to the model).
//
// Adding one is adding a file with its formula and its row, and one line in default_attack_table().
// The table is a value that owns all it holds: a program that embeds the library copies it, appends
// its own row (with a lambda that captures, if it likes) and passes the copy on. `palimpsest eval`
// makes a metric of every row (eval/mia_metric.h).
//
// The functions of a row are called from several threads at once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/trace/trace.h"

namespace palimpsest {

// The values of an attack's parameters, in the order in which it declares them.
using ParameterValues = std::vector<std::pair<std::string, double>>;
// Throws Error where there is none of that name: an attack reads only what it declares.
double parameter_value(const ParameterValues& values, std::string_view name);

// Which values a parameter takes.
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
  std::vector<double> sweep = {};  // what "k=sweep" stands for; empty: it has no sweep
  // Whether a setting for all attacks together (-k of the command line) reaches it. Attacks that share
  // such a parameter agree on its default.
  bool is_common = false;
};

// A part of a trace that an attack may need. A trace without any labelled token needs nothing.
struct TraceNeed {
  std::string name;  // as messages put it: "'mean' and 'var'"
  std::function<bool(const Trace&, const ParameterValues&)> is_met;
  // The key of Trace::grad_norm that it is about: a run computes only those that are asked for.
  std::function<std::string(const ParameterValues&)> gradient_norm = {};
};

// The needs that attacks of this library declare.
TraceNeed needs_loss();
TraceNeed needs_logprob();
TraceNeed needs_mean();
TraceNeed needs_moments();
TraceNeed needs_argmax();
TraceNeed needs_text();
TraceNeed needs_grad_norm();  // of the attack's parameter 'p'

// What most of them cost.
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
  std::vector<TraceNeed> reference_needs =
      {};  // of the reference model's trace, if there is `compare`
  // One of the two: a score from the trace alone, or against a reference model's trace of the same
  // tokens. nullopt: the score is undefined (no labelled token). Called only if the needs are met.
  std::function<std::optional<double>(const Trace&, const ParameterValues&)> score = {};
  std::function<std::optional<double>(const Trace&, const Trace& reference, const ParameterValues&)>
      compare = {};
  // What select_attacks() was told to set; the other parameters have their defaults.
  ParameterValues given = {};

  bool needs_reference() const { return compare != nullptr; }
  // Of all its parameters.
  ParameterValues values() const;
  // `reference` is read only by an attack that needs it; `values` are values().
  std::optional<double> score_of(const Trace& trace, const Trace* reference,
                                 const ParameterValues& values) const;
};

using AttackTable = std::vector<Attack>;
const AttackTable& default_attack_table();

// Throws Error for a row that no report could hold: a name that is empty, taken, reserved ("all", which
// selects, and "audit", the key of mia.json for what concerns all attacks) or could not be selected;
// not exactly one of score and compare; parameters of the same name, or with a default or a sweep out
// of range.
void require_valid(const AttackTable& table);

// The parameters that a setting for all attacks reaches, each once, with the attacks that have it.
struct CommonParameter {
  AttackParameter parameter;
  std::vector<std::string> attacks;
};
std::vector<CommonParameter> common_parameters(const AttackTable& table);

// "all", or a comma-separated list of names, each with parameters if wanted:
//
//   loss,min_k:k=0.3,surp:k=0.5:entropy=1
//   min_k:k=sweep        // min_k:k=0.1, min_k:k=0.2 … min_k:k=1
//
// A selected attack is named as it was asked for ("min_k:k=0.3"), so that one attack may stand in a
// report with several settings. `common` sets common parameters of all attacks that have them and were
// not told otherwise. An unknown name is an Error that lists the known ones, so is an unknown parameter
// or a value out of range, and a table that is not valid.
AttackTable select_attacks(const AttackTable& table, std::string_view names,
                           const ParameterValues& common = {});

// The keys of Trace::grad_norm that these attacks read: what a run has to compute for them.
std::vector<std::string> gradient_norms_of(const AttackTable& attacks);

// Throws Error unless the parameter takes the value. `owner` is an attack's name.
void require_in_range(const AttackParameter& parameter, double value, std::string_view owner);

}  // namespace palimpsest
