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

#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/stat/bootstrap.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/roc.h"

namespace palimpsest {

struct MiaOptions {
  BootstrapOptions bootstrap;                     // its confidence is that of all intervals
  std::vector<double> fprs = {0.1, 0.01, 0.001};  // false positive rates to report the TPR at
};

struct SetScores {
  std::vector<std::optional<double>> scores;  // one an example, in the order of MiaReport's ids
  int64_t undefined = 0;                      // left out of everything below
  std::optional<double> mean;
};

struct AttackOutcome {
  std::string attack;
  SetScores forget;
  SetScores holdout;
  std::optional<double> auc;
  std::optional<Interval> auc_ci;         // stratified BCa bootstrap
  std::optional<Interval> auc_ci_delong;  // DeLong, logit scale
  // Recognising a forget example is the true positive here. One entry a requested rate, nullopt
  // where the holdout set is too small to resolve it. The threshold is of the negated score.
  std::vector<std::optional<TprAtFpr>> tpr_at_fpr;
  std::optional<double> advantage;
  std::optional<double> best_accuracy;
  std::optional<double> effective_epsilon;
};

struct MiaReport {
  std::string model;  // as the traces name it; may be empty
  double confidence = 0.95;
  std::vector<double> fprs;
  std::vector<ExampleId> forget;
  std::vector<ExampleId> holdout;
  std::vector<AttackOutcome> outcomes;  // one an attack
  std::vector<std::string> notes;       // what a reader has to know: left out, doubtful, too small
};

// `only_possible`: attacks for which the traces lack something are left out with a note; otherwise
// they are an Error. Traces of different models are an Error.
struct MiaInput {
  const AttackTable& attacks;
  const TraceScores& forget;
  const TraceScores& holdout;
  bool only_possible = true;
};

MiaReport mia(const MiaInput& input, const MiaOptions& options);

}  // namespace palimpsest
