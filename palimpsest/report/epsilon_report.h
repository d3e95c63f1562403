// Estimates from attacks how much privacy a mechanism really gives. This is TAPAS' report on the
// effective epsilon, with one estimate per threat model. A threat model is a combination of values
// of every column except "attack": the same data set, generator, target and so on. The other
// estimators of palimpsest/stat are applied to the same data and shown beside it. Each estimate
// depends on an assumption, which is stated with it and cannot be checked from the scores.
//
// Most estimates assume that every score comes from a separate training run in which the target was
// included at random. TAPAS' data are made that way and name the target in a column "target_id".
// Scores without this column are taken to come from a single model, each for a different example.
// The assumption is false for them, so they get no estimate unless it is requested, and a note says
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
  double delta = 1e-5;         // of (ε, δ)-differential privacy, in every estimate; in [0, 1)
  bool single_models = false;  // also estimate if no column names a target
  int threads = 0;             // 0: one for each core; nothing depends on it
};

struct EpsilonEstimate {
  std::string method;
  double confidence = 0;
  std::optional<double> low;   // at least 0; undefined where the data say nothing
  std::optional<double> high;  // at least 0; infinite where the method gives a lower bound only
  // As the method returns it. For two_step this is TAPAS' value, without δ.
  std::optional<double> low_raw;
  std::string assumption;
};

struct ThreatModelEpsilon {
  std::vector<std::string> values;  // of EpsilonReport::columns
  std::string attack;               // the one chosen on the validation part
  double threshold = 0;
  stat::EpsilonSide side = stat::EpsilonSide::kPositives;
  std::vector<EpsilonEstimate> estimates;  // the two-step ones first
};

struct EpsilonReport {
  std::vector<std::string> columns;  // columns that distinguish threat models
  double delta = 0;
  std::vector<ThreatModelEpsilon> models;
  std::vector<std::string> notes;  // threat models without an estimate, and why
};

// `columns` names the summaries' values. Summaries without scores are left out. Throws Error on
// options out of range.
EpsilonReport epsilon_report(std::span<const AttackSummary> summaries,
                             const std::vector<std::string>& columns,
                             const EpsilonReportOptions& options);

// Whether the rows with these values may belong to one target, each from a separate training run.
bool has_target(const std::vector<std::string>& columns, const std::vector<std::string>& values);

// effective_epsilon.csv: confidence, epsilon_low, epsilon_high, epsilon_low_raw, delta, method, the
// threat model's columns, attack, threshold, side, assumption.
ResultTable epsilon_table(const EpsilonReport& report);

}  // namespace palimpsest::report
