// Estimates how much privacy a mechanism really gives, from the success of attacks. This is the
// report on the effective epsilon of TAPAS (attack_summary.h), with one estimate per threat model.
// A threat model is one combination of values of all columns except "attack": the same data set,
// generator, target and so on. The other estimators of palimpsest/stat are applied to the same data
// and shown beside it. Each estimate depends on an assumption, which is stated with it and cannot
// be checked from the scores.
//
// Most estimates assume that every score comes from a separate training run in which the target was
// included at random. TAPAS makes its data in that way, and a column "target_id" names the target.
// Scores without this column are taken to come from a single model, each for a different example.
// For them the assumption is false, so they get no estimate unless it is requested, and a note says
// why.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/attack_summary.h"
#include "palimpsest/report/result_table.h"
#include "palimpsest/stat/two_step_epsilon.h"

namespace palimpsest::report {

struct EpsilonReportOptions {
  stat::TwoStepOptions two_step = {};
  double delta = 1e-5;  // the δ of (ε, δ)-DP in every estimate; in [0, 1)
  // Whether scores without a target_id, which come from a single model, get an estimate as well.
  bool single_models = false;
  // Whether the user asked for epsilon. If true, notes say why scores have no estimate. If false,
  // they say so only if other scores have one.
  bool asked_for = false;
  int threads = 0;  // 0: one per core; the result does not depend on it
};

struct EpsilonEstimate {
  std::string method;
  double confidence = 0;
  std::optional<double> low;   // at least 0; undefined if the data say nothing
  std::optional<double> high;  // at least 0; infinite if the method gives only a lower bound
  // The lower end as the method returns it. For two_step this is TAPAS' value, without δ.
  std::optional<double> low_raw;
  std::string assumption;
};

struct ThreatModelEpsilon {
  std::vector<std::string> values;  // one per EpsilonReport::columns
  std::string attack;               // the attack that was chosen on the validation part
  double threshold = 0;
  stat::EpsilonSide side = stat::EpsilonSide::kPositives;
  std::vector<EpsilonEstimate> estimates;  // the two-step estimates come first
};

struct EpsilonReport {
  std::vector<std::string> columns;  // the columns that distinguish threat models
  double delta = 0;
  std::vector<ThreatModelEpsilon> threat_models;
  std::vector<std::string> notes;  // the threat models without an estimate, with the reason
};

// `columns` names the values of the summaries. Summaries without scores are left out. Throws Error
// if an option is out of range.
EpsilonReport epsilon_report(std::span<const AttackSummary> summaries,
                             const std::vector<std::string>& columns,
                             const EpsilonReportOptions& options);

// Whether the column "target_id" names a target. Then the rows with these values can come from
// separate training runs for that target.
bool has_target(const std::vector<std::string>& columns, const std::vector<std::string>& values);

// The content of effective_epsilon.csv: confidence, epsilon_low, epsilon_high, epsilon_low_raw,
// delta, method, the threat model's columns, attack, threshold, side, assumption.
ResultTable epsilon_table(const EpsilonReport& report);

// The two-step epsilon for people, one line per threat model and confidence.
ResultTable short_epsilon_table(const EpsilonReport& report);

}  // namespace palimpsest::report
