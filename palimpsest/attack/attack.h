// A membership-inference attack gives an example a score that says how familiar the model is with
// it. The score is computed from the example's trace (trace/trace.h), and for some attacks also
// from a reference model's trace of the same example. For every attack here, a higher score means
// LESS familiar: less likely a member of the training data.
//
// All attacks are rows of a table. To add one to the library, add a source file with its formula
// and its row to the folder attacks/, and its name to the list in attack_table.cc (CONTRIBUTING.md
// lists all steps). A program that embeds the library copies the table, appends its own row (the
// functions may be lambdas with captures) and passes the copy on. The table is a value that owns
// everything it holds. `palimpsest eval` turns every row into a metric
// (eval/internal/mia_metric.h).
//
// By default, only the thread that requests the scores calls the functions of a row. A row that
// sets `any_thread` allows calls from several threads at once; all rows of default_attack_table()
// do.
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

// The values that a parameter may take.
struct ParameterRange {
  std::string expected;  // for messages: "a norm: 1, 2 or inf"
  std::function<bool(double)> contains;
};

// A parameter of an attack, which users set as in "min_k:k=0.3".
struct AttackParameter {
  std::string name;
  std::string meaning;
  double default_value = 0;
  ParameterRange range;
  std::vector<double> sweep = {};  // the values that "k=sweep" stands for; empty: no sweep
  // Whether a setting for all attacks (such as -k on the command line) also sets this parameter.
  // Attacks that share such a parameter must have the same default for it.
  bool is_common = false;
};

// A part of a trace that an attack reads. The labelled tokens of a trace are those that are scored
// (trace/trace.h).
struct TraceNeed {
  std::string name;  // for messages: "'mean' and 'var'"
  // Must return true for a trace without labelled tokens, because nothing can be missing from it.
  // All functions needs_…() below do so. Therefore `score` and `compare` are also called for such a
  // trace.
  std::function<bool(const trace::Trace&, const ParameterValues&)> is_met;
  // The key of Trace::grad_norm that the attack reads, if any. Only the norms that some attack
  // reads are computed.
  std::function<std::string(const ParameterValues&)> gradient_norm = {};
};

// The needs that the attacks of this library declare.
TraceNeed needs_loss();
TraceNeed needs_logprob();
TraceNeed needs_mean();
TraceNeed needs_moments();
TraceNeed needs_argmax();
TraceNeed needs_text_size();  // the text, or in its place the size of the compressed text
TraceNeed needs_grad_norm();  // the norm that the attack's parameter 'p' names

// Texts for Attack::cost that fit most attacks.
inline constexpr const char* kOnePass = "one forward pass per example; no memory of its own";
inline constexpr const char* kTwoModels =
    "one forward pass of each of two models, which need not be in memory together";

struct Attack {
  std::string name;       // the name on the command line and in files
  std::string measures;   // one line for `palimpsest list attacks`, like the texts below
  std::string cost = {};  // forward passes and memory
  std::vector<AttackParameter> parameters = {};
  std::string use = {};    // when to use it
  std::string avoid = {};  // when not to use it
  std::string paper = {};
  std::vector<TraceNeed> needs = {};
  // The parts that `compare` reads of the reference model's trace.
  std::vector<TraceNeed> reference_needs = {};
  // Exactly one of `score` and `compare` is set. `score` uses the trace alone. `compare` uses the
  // trace and a reference model's trace of the same tokens. nullopt means that the score is
  // undefined for this example, for instance because it has no labelled token
  // (docs/definitions.md lists the cases). A score that is NaN or infinite is an Error. Both
  // functions are called only if the needs are met.
  std::function<std::optional<double>(const trace::Trace&, const ParameterValues&)> score = {};
  std::function<std::optional<double>(const trace::Trace&, const trace::Trace& reference,
                                      const ParameterValues&)>
      compare = {};
  // Whether score, compare and the needs may be called from several threads at once. It is true in
  // every row of the library, and a copy of a row keeps this value. If you put functions of your
  // own into a copy, set it to false if only one thread may call them, and set reads_tokens to true
  // if they read tokens.
  bool any_thread = false;
  // Whether score, compare or a need reads Trace::tokens. If no attack does, the tokens are not
  // read from files.
  bool reads_tokens = true;
  // The parameters that select_attacks() was asked to set. The others have their default values.
  ParameterValues given = {};
  // Set by select_attacks() if `name` bears parameters: the name of the row ("min_k" if `name` is
  // "min_k:k=0.3").
  std::string selected_from = {};

  bool needs_reference() const { return compare != nullptr; }
  // The name of the row in the attack table, whatever parameters the attack was selected with.
  const std::string& row_name() const { return selected_from.empty() ? name : selected_from; }
  // The values of all parameters: the given ones, and defaults for the others.
  ParameterValues values() const;
  // Calls `score` or `compare`. `reference` is read only if needs_reference(). `values` must be the
  // result of values(); a caller computes it once for many traces.
  std::optional<double> score_of(const trace::Trace& trace, const trace::Trace* reference,
                                 const ParameterValues& values) const;
};

using AttackTable = std::vector<Attack>;
const AttackTable& default_attack_table();

// Throws Error if a row is invalid. A name must not be empty or used twice. It must not contain a
// comma, a colon, an equals sign or a space, because select_attacks() could not select it. It must
// not be "all", which selects every attack, or "audit", the key under which mia.json holds the
// results about all attacks together. Exactly one of score and compare must be set. The parameters
// of a row must have different names, and their defaults and sweeps must be within their ranges.
void require_valid(const AttackTable& table);

// A common parameter (AttackParameter::is_common), with the names of the attacks that have it.
struct CommonParameter {
  AttackParameter parameter;
  std::vector<std::string> attacks;
};
// Lists every common parameter of the table once.
std::vector<CommonParameter> common_parameters(const AttackTable& table);

// Selects attacks. `names` is "all" or a comma-separated list of names, each optionally with
// parameters:
//
//   loss,min_k:k=0.3,surp:k=0.5:entropy=1
//   min_k:k=sweep        // min_k:k=0.1, min_k:k=0.2 … min_k:k=1
//
// A selected attack keeps the name by which it was requested ("min_k:k=0.3"), so one attack may
// occur in a report with several settings. `common` sets common parameters of all attacks that have
// them, unless `names` sets them. Throws Error for an unknown name (the message lists the known
// ones), an unknown parameter, a value out of range, or an invalid table.
AttackTable select_attacks(const AttackTable& table, std::string_view names,
                           const ParameterValues& common = {});

// The name of an attack that is selected with one more parameter: "min_k:k=0.3" of "min_k".
std::string with_setting(std::string_view name, std::string_view parameter, double value);

// Takes the row's name out of the name of a selected attack: "min_k" from "min_k:k=0.3". It is for
// readers of files, which have only the latter.
std::string row_named_in(std::string_view selected);

// The keys of Trace::grad_norm that these attacks read, and that a run must therefore compute.
std::vector<std::string> gradient_norms_of(const AttackTable& attacks);

// Throws Error unless the value is in the parameter's range. `owner` is the attack's name, for the
// message.
void require_in_range(const AttackParameter& parameter, double value, std::string_view owner);

}  // namespace palimpsest::attack
