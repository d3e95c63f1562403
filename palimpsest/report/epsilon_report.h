// How much privacy a mechanism really gives, estimated from attacks on it: TAPAS' report on the
// effective epsilon, one estimate per threat model (the same data set, generator, target and so on:
// every column but "attack"), and beside it the other estimates of palimpsest/stat on the same data.
// Each needs an assumption, which is written out with it; none can be checked from the scores.
//
// Most assume that every score comes from a run of its own, with the target in or out by chance. TAPAS'
// data are made that way and name the target in a column "target_id". Scores without one are taken for
// those of a single model, each of another example, of which that is false: they get no estimate unless
// asked for, and a note says why.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/report/attack_summary.h"
#include "palimpsest/report/result_table.h"
#include "palimpsest/stat/two_step_epsilon.h"

namespace palimpsest {

struct EpsilonReportOptions {
  TwoStepOptions two_step = {};
  double delta = 1e-5;         // of (ε, δ)-differential privacy, in every estimate; in [0, 1)
  bool single_models = false;  // also where no column names a target
};

struct EpsilonEstimate {
  std::string method;
  double confidence = 0;
  std::optional<double> low;      // at least 0; undefined where the data say nothing
  std::optional<double> high;     // at least 0; infinite where the method gives a lower bound only
  std::optional<double> low_raw;  // as the method gives it; of two_step TAPAS' value, without δ
  std::string assumption;
};

struct ThreatModelEpsilon {
  std::vector<std::string> values;  // of EpsilonReport::columns
  std::string attack;               // the one chosen on the validation part
  double threshold = 0;
  EpsilonSide side = EpsilonSide::kPositives;
  std::vector<EpsilonEstimate> estimates;  // the two-step ones first
};

struct EpsilonReport {
  std::vector<std::string> columns;  // that tell threat models apart
  double delta = 0;
  std::vector<ThreatModelEpsilon> models;
  std::vector<std::string> notes;  // threat models without an estimate, and why
};

// `columns` names the summaries' values. Summaries without scores are left out. Throws Error on
// options out of range.
EpsilonReport epsilon_report(std::span<const AttackSummary> summaries,
                             const std::vector<std::string>& columns,
                             const EpsilonReportOptions& options);

// Whether the rows with these values may be one target's, each from a run of its own.
bool has_target(const std::vector<std::string>& columns, const std::vector<std::string>& values);

// effective_epsilon.csv: confidence, epsilon_low, epsilon_high, epsilon_low_raw, delta, method, the
// threat model's columns, attack, threshold, side, assumption.
ResultTable epsilon_table(const EpsilonReport& report);

}  // namespace palimpsest
