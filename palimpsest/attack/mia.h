// Forget against holdout: how well can an attacker still tell the examples that the model was asked
// to forget from examples that it never saw, and how sure are we?
//
// AUC = P(score of a holdout example > score of a forget example), ties counted half, where a
// higher score means less familiar. 1: the forget set is plainly still recognised. 0.5:
// indistinguishable, the goal. 0: the forget set looks less familiar than unseen text. It is
// over-forgotten, which also gives it away.
//
// All attacks together give one answer (mia/answer.h). It is based on clusters of examples that
// belong together, not on single examples (mia/example_clusters.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/attack/mia/blind_baseline.h"
#include "palimpsest/attack/mia/cluster_ranking.h"
#include "palimpsest/attack/mia/comparison.h"
#include "palimpsest/attack/mia/decision.h"
#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/family.h"
#include "palimpsest/attack/mia/overlap.h"
#include "palimpsest/attack/mia/record_tests.h"
#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/attack/mia/subgroups.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/stat/bootstrap.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/roc.h"

namespace palimpsest::attack {

// The smallest false positive rate that can be requested. Resolving a lower rate would take more
// than a billion holdout records.
inline constexpr double kLeastFpr = 1e-9;

struct MiaOptions {
  // `confidence` applies to all intervals of single attacks, and `seed` to all random draws.
  // Bootstrap intervals are computed only on request (resamples > 0) and only if each set has at
  // least kFewestBootstrapClusters clusters.
  stat::BootstrapOptions bootstrap = {.resamples = 0};
  ClusterChoice clusters;  // which examples belong together
  double margin = 0.05;    // an AUC this close to ½ counts as no different; in (0, 0.5)
  // The attack that alone decides the answer, named in advance; empty: all decide.
  std::string primary;
  bool allow_overlap = false;  // audit even if texts are in both sets
  // False positive rates to report the TPR at, from kLeastFpr to 1.
  std::vector<double> fprs = {0.1, 0.01, 0.001};
  std::vector<std::string> group_keys;  // columns of the traces to split results by
  bool blind_baseline = true;           // costs about a second
  stat::DecisionCosts costs;            // for the decision thresholds
  // Share of clusters on which the thresholds are chosen, 0.001 to 0.999.
  double validation_split = 0.5;
  double false_discovery_rate = 0.1;  // among the records called recognised, in (0, 1)
};

// Throws Error on options out of range: for callers that want to know before a long run.
void require_valid(const MiaOptions& options);

struct SetScores {
  ScoreColumn scores;     // one per example, in the order of MiaReport's ids
  int64_t undefined = 0;  // number of undefined scores, which are left out of everything below
  std::optional<double> mean;
};

// What an attacker achieves with one attack by calling the examples with the lowest scores members,
// or, for a reversed attack, the examples with the highest scores.
struct AttackRates {
  // Recognising a forget example is the true positive here. One entry per requested rate, nullopt
  // where the holdout set is too small to resolve it. The threshold refers to the flipped score
  // (flip_orientation()).
  std::vector<std::optional<stat::TprAtFpr>> tpr_at_fpr;
  std::optional<double> advantage;
  std::optional<double> best_accuracy;
  RecordTests records;
};

// The AUC of this model minus that of the baseline model.
struct BaselineDifference {
  PairedAuc paired;
  std::optional<stat::Interval> simultaneous;  // 97%, over the family
};

struct AttackOutcome {
  std::string attack;
  // The parameters with which it was run, in the order in which the attack declares them.
  ParameterValues parameters = {};
  std::string title;      // for tables: "min_k (k=0.4)" where a parameter is not the default
  bool in_family = true;  // whether it takes part in the answer
  SetScores forget;
  SetScores holdout;
  std::optional<double> auc;
  std::optional<stat::Interval> auc_ci;               // jackknife over clusters, logit scale
  std::optional<stat::Interval> auc_ci_simultaneous;  // 97%, over the family of attacks
  std::optional<stat::Interval> auc_ci_equivalence;   // 90%: what is compared with the margin
  std::optional<stat::Interval> auc_ci_bootstrap;     // stratified BCa over clusters, on request
  std::optional<stat::Interval> auc_ci_delong;        // where examples count as independent
  AttackRates rates;
  std::optional<AttackRates> reversed;  // of the reversed attack, if the AUC is below ½
  std::vector<SubgroupOutcome> groups;  // one per group of the report
  std::optional<Decision> decision;
  std::optional<BaselineDifference> against_baseline;
  std::vector<RankedCluster> clusters;  // forget clusters, those that the model knows best first

  ScoreColumns columns() const { return {forget.scores, holdout.scores}; }
};

// What an attack is, for readers of the report.
struct AttackMethod {
  std::string attack;  // without parameters
  std::string measures;
  std::string paper;  // may be empty
};

struct MiaReport {
  std::string model;            // as the traces name it; may be empty
  std::string baseline_model;   // likewise; empty also where there is none
  std::string reference_model;  // likewise
  double confidence = 0.95;
  std::vector<double> fprs;
  stat::DecisionCosts costs;
  double validation_split = 0.5;
  double false_discovery_rate = 0.1;
  uint64_t seed = 0;
  std::string primary;
  std::vector<ExampleId> forget;
  std::vector<ExampleId> holdout;
  ExampleClusters clusters;
  Answer answer;
  Overlap overlap;                      // texts that are in both sets
  std::vector<AttackOutcome> outcomes;  // one per attack
  std::vector<AttackMethod> methods;    // one per attack, even if it was run with several settings
  std::vector<AttackComparison> comparisons;  // every pair of attacks
  std::vector<Subgroup> groups;
  std::optional<BlindBaseline> blind;
  std::optional<size_t> highest_auc;    // of mia/leading_attack.h
  std::optional<size_t> best_decision;  // the one whose AUC is largest on the validation part
  // Remarks for readers: what was left out, is doubtful or too small.
  std::vector<std::string> notes;

  // leading_attack() of mia/leading_attack.h for this report's answer.
  std::optional<size_t> leading_attack() const;
};

// With fewer clusters than this in a set, bootstrap intervals would be too short.
inline constexpr int64_t kFewestBootstrapClusters = 50;

// The traces of a model that never saw the forget set, on the same examples (in any order; there may
// be more).
struct MiaBaseline {
  const TraceScores& forget;
  const TraceScores& holdout;
};

// If `only_possible` is true, attacks for which the traces lack something are left out with a note;
// if false, they are an Error. Forget and holdout traces of different models are an Error.
struct MiaInput {
  const AttackTable& attacks;
  const TraceScores& forget;
  const TraceScores& holdout;
  bool only_possible = true;
  std::optional<MiaBaseline> baseline = {};
};

MiaReport mia(const MiaInput& input, const MiaOptions& options);

// The smallest AUC that sets of these sizes would tell from ½ with probability 0.8, computed before
// anything is run. Returns nullopt if there are too few clusters to detect any AUC. For clusters of
// several examples the intraclass correlation is assumed to be 0.1, as for TOFU's authors.
std::optional<double> planned_detection(const ExampleClusters& clusters);

}  // namespace palimpsest::attack
