// Forget against holdout: how well can an attacker still tell the examples that the model was asked
// to forget from examples that it never saw, and how sure are we?
//
// AUC = P(score of a holdout example > score of a forget example), ties counted half, where a
// higher score means less familiar. 1: the forget set is plainly still recognised. 0.5:
// indistinguishable, the goal. 0: the forget set looks less familiar than unseen text,
// over-forgotten, which also gives it away.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/blind_baseline.h"
#include "palimpsest/attack/mia/comparison.h"
#include "palimpsest/attack/mia/decision.h"
#include "palimpsest/attack/mia/record_tests.h"
#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/attack/mia/subgroups.h"
#include "palimpsest/attack/mia/verdict.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/stat/bootstrap.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/roc.h"

namespace palimpsest {

struct MiaOptions {
  BootstrapOptions
      bootstrap;  // its confidence is that of all intervals, its seed that of all draws
  std::vector<double> fprs = {0.1, 0.01, 0.001};  // false positive rates to report the TPR at
  std::vector<std::string> group_keys;            // columns of the traces to split results by
  bool blind_baseline = true;                     // costs about a second
  DecisionCosts costs;                            // for the decision thresholds
  double validation_split = 0.5;                  // share on which they are chosen, in (0, 1)
  double false_discovery_rate = 0.1;              // among the records called recognised, in (0, 1)
};

// Throws Error on options out of range: for callers that want to know before a long run.
void require_valid(const MiaOptions& options);

struct SetScores {
  ScoreColumn scores;     // one an example, in the order of MiaReport's ids
  int64_t undefined = 0;  // left out of everything below
  std::optional<double> mean;
};

struct AttackOutcome {
  std::string attack;
  SetScores forget;
  SetScores holdout;
  std::optional<double> auc;
  std::optional<Interval> auc_ci;         // stratified BCa bootstrap
  std::optional<Interval> auc_ci_delong;  // DeLong, logit scale
  std::optional<Verdict> verdict;         // of the AUC and its DeLong interval
  // Recognising a forget example is the true positive here. One entry a requested rate, nullopt
  // where the holdout set is too small to resolve it. The threshold is of the negated score.
  std::vector<std::optional<TprAtFpr>> tpr_at_fpr;
  std::optional<double> advantage;
  std::optional<double> best_accuracy;
  std::optional<double> effective_epsilon;
  std::vector<SubgroupOutcome> groups;  // one a group of the report
  std::optional<Decision> decision;
  RecordTests records;
  // AUC of this model minus that of the baseline model, where there is one.
  std::optional<DelongTest> against_baseline;

  ScoreColumns columns() const { return {forget.scores, holdout.scores}; }
};

// What the sizes of the sets can tell, whatever the scores are.
struct MiaPower {
  double power = 0.8;
  double level = 0.05;
  std::optional<double> smallest_auc;  // that is told from ½
  double example_auc = 0.55;
  int64_t examples_for_example_auc = 0;  // of each set
};

struct MiaReport {
  std::string model;           // as the traces name it; may be empty
  std::string baseline_model;  // likewise; empty also where there is none
  double confidence = 0.95;
  std::vector<double> fprs;
  DecisionCosts costs;
  double validation_split = 0.5;
  double false_discovery_rate = 0.1;
  std::vector<ExampleId> forget;
  std::vector<ExampleId> holdout;
  MiaPower power;
  int64_t shared_texts = 0;             // holdout examples whose text is in the forget set too
  std::vector<AttackOutcome> outcomes;  // one an attack
  std::vector<AttackComparison> comparisons;  // every pair of attacks
  std::vector<Subgroup> groups;
  std::optional<BlindBaseline> blind;
  std::optional<size_t> highest_auc;    // the attack whose AUC is largest
  std::optional<size_t> best_decision;  // the one whose AUC is largest on the validation part
  std::vector<std::string> notes;       // what a reader has to know: left out, doubtful, too small
};

// The traces of a model that never saw the forget set, on the same examples (in any order; there may
// be more).
struct MiaBaseline {
  const TraceScores& forget;
  const TraceScores& holdout;
};

// `only_possible`: attacks for which the traces lack something are left out with a note; otherwise
// they are an Error. Traces of different models are an Error.
struct MiaInput {
  const AttackTable& attacks;
  const TraceScores& forget;
  const TraceScores& holdout;
  bool only_possible = true;
  std::optional<MiaBaseline> baseline = {};
};

MiaReport mia(const MiaInput& input, const MiaOptions& options);

// What sets of these sizes could tell; for callers that want to know before a long run.
MiaPower mia_power(int64_t forget, int64_t holdout, double confidence = 0.95);

}  // namespace palimpsest
