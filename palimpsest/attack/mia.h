// The membership-inference audit: how well can an attacker still distinguish the forget set
// (examples that the model was asked to forget) from the holdout set (examples that it never saw),
// and how sure are we?
//
// AUC = P(score of a holdout example > score of a forget example), with ties counted half. A higher
// score means less familiar. An AUC of 1 means that the forget set is plainly recognised. An AUC of
// 0.5 is the goal: the sets cannot be told apart. An AUC near 0 means over-forgetting: the forget
// set looks less familiar than unseen text, which also gives it away.
//
// All attacks together lead to one answer (mia/answer.h). The attacks that take part in it are
// called the family (internal/mia/family.h). The uncertainty of the answer is computed over
// clusters of examples that belong together, not over single examples (mia/example_clusters.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/findings.h"
#include "palimpsest/attack/mia/red_flags.h"
#include "palimpsest/attack/scored_attack.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/stat/bootstrap.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/roc.h"

namespace palimpsest::attack {

// The smallest false positive rate that can be requested. Resolving a lower rate would take more
// than a billion holdout records.
inline constexpr double kLeastFpr = 1e-9;

struct MiaOptions {
  // Bootstrap intervals are computed only on request (resamples > 0), and only if each set has at
  // least kFewestBootstrapClusters clusters. Some of the bootstrap options also apply without a
  // bootstrap: `confidence` to all intervals, except the simultaneous ones (97%) and those compared
  // with the margin (90%), and `seed`, `threads` and `stop` to everything that is drawn at random.
  stat::BootstrapOptions bootstrap = {.resamples = 0};
  ClusterChoice clusters;  // which examples belong together
  double margin = 0.05;    // an AUC within ½ ± margin counts as "no difference"; in (0, 0.5)
  // The one attack that decides the answer, chosen before the audit. Empty: all attacks decide.
  std::string primary;
  bool allow_overlap = false;  // whether to audit even if some texts are in both sets
  // The false positive rates at which the true positive rate is reported; from kLeastFpr to 1.
  std::vector<double> fprs = {0.1, 0.01, 0.001};
  std::vector<std::string> group_keys;  // keys of Trace::groups to split results by
  bool blind_baseline = true;           // whether to run it; it takes about a second
  bool quotes_words = true;             // whether results name words that tell the sets apart
  stat::DecisionCosts costs;            // costs of the two kinds of error, for decision thresholds
  // The share of the clusters on which the decision thresholds are chosen; 0.001 to 0.999.
  double validation_split = 0.5;
  double false_discovery_rate = 0.1;  // among examples reported as recognised; in (0, 1)
};

// Throws Error if an option is out of range. Callers may use it to reject wrong options before a
// long run.
void require_valid(const MiaOptions& options);

// The success of an attacker who calls an example a member if its score is low. The reversed attack
// calls an example a member if its score is high.
struct AttackRates {
  // A true positive is a forget example that is recognised. There is one entry per requested false
  // positive rate; it is nullopt if the holdout set is too small to resolve that rate. The
  // threshold refers to the flipped score (flip_orientation()).
  std::vector<std::optional<stat::TprAtFpr>> tpr_at_fpr;
  std::optional<double> advantage;      // the largest TPR - FPR over all thresholds
  std::optional<double> best_accuracy;  // the largest share of correct calls over all thresholds
  RecordTests records;
};

// The AUC under the audited model minus the AUC under the baseline model.
struct BaselineDifference {
  PairedAuc paired;
  std::optional<stat::Interval> simultaneous;  // 97%, simultaneous over all attacks of the family
};

// A scored attack with everything that an audit says about it. Its example keys are those of
// MiaReport::forget and MiaReport::holdout.
struct AttackOutcome : ScoredAttack {
  std::string title;      // for tables; names parameters that are not defaults: "min_k (k=0.4)"
  bool in_family = true;  // whether the attack takes part in the answer
  std::optional<stat::Interval> auc_ci_equivalence;  // 90%; checked against ½ ± margin
  std::optional<stat::Interval> auc_ci_bootstrap;  // stratified BCa over clusters; only on request
  std::optional<stat::Interval> auc_ci_delong;     // only if examples count as independent
  AttackRates rates;
  std::optional<AttackRates> reversed;  // the reversed attack, if the AUC is below ½
  std::vector<SubgroupOutcome> groups;  // one per group of the report
  std::optional<Decision> decision;
  std::optional<BaselineDifference> against_baseline;
  std::vector<RankedCluster> clusters;  // forget clusters, the best remembered first

  // The rates in the direction that tells more: those of the reversed attack if the AUC is below ½,
  // otherwise those of the attack itself.
  const AttackRates& stronger_rates() const { return reversed ? *reversed : rates; }
};

// A description of an attack for readers of the report.
struct AttackMethod {
  std::string attack;  // the name of the row in the attack table
  std::string measures;
  std::string paper;  // may be empty
};

struct MiaReport {
  std::string model;  // the name in the traces; may be empty
  // For display, set by the caller after the audit: a heading, and a name for the model. If `title`
  // is empty, the heading is made from the name; if `model_name` is empty, the name is made from
  // `model` (see shown_model()).
  std::string title;
  std::string model_name;
  std::string baseline_model;   // like `model`, for the baseline; empty if there is none
  std::string reference_model;  // like `model`, for the reference; empty if there is none
  double confidence = 0.95;
  std::vector<double> fprs;
  stat::DecisionCosts costs;
  double validation_split = 0.5;
  double false_discovery_rate = 0.1;
  uint64_t seed = 0;
  std::string primary;
  ExampleKeys forget;
  ExampleKeys holdout;
  ExampleClusters clusters;
  Answer answer;
  std::vector<RedFlag> flags;           // red_flags(flag_facts(report))
  Overlap overlap;                      // texts that are in both sets
  std::vector<AttackOutcome> outcomes;  // one per attack
  std::vector<AttackMethod> methods;    // one per attack, even if it ran with several settings
  std::vector<AttackComparison> comparisons;  // one per pair of attacks
  std::vector<Subgroup> groups;
  std::optional<BlindBaseline> blind;
  // The position in `outcomes` of the attack with the highest AUC.
  std::optional<size_t> highest_auc;
  // The position in `outcomes` of the attack with the largest AUC on the validation part: the
  // examples on which the decision thresholds are chosen (Decision).
  std::optional<size_t> best_decision;
  // Remarks for readers about data that were left out, are doubtful or are too few.
  std::vector<std::string> notes;
  // Warnings from before the scores existed: from preparing the data and from running the models.
  // Set by the caller after the audit, as `title` is; nothing is computed from them.
  std::vector<std::string> warnings;

  // The position in `outcomes` of the attack to name first: the one that the answer names, else the
  // one with the highest AUC (internal/mia/leading_attack.h).
  std::optional<size_t> leading_attack() const;
  // `model_name`, else the short name of `model`; empty if neither is known.
  std::string shown_model() const;
};

// The facts from which red_flags() finds the red flags of an audit. The accuracies are not set,
// because an audit does not measure how well the model answers.
RedFlagFacts flag_facts(const MiaReport& report);

// If a set has fewer clusters than this, bootstrap intervals would be too narrow.
inline constexpr int64_t kFewestBootstrapClusters = 50;

// Scores under a model that never saw the forget set. They must cover the same examples, in any
// order; further examples are allowed.
struct MiaBaseline {
  const TraceScores& forget;
  const TraceScores& holdout;
};

// The input of mia(). Some attacks may read something that the traces lack. If `only_possible` is
// true, these attacks are left out with a note; if false, mia() throws Error. It also throws Error
// if the forget and the holdout traces come from different models.
struct MiaInput {
  const AttackTable& attacks;
  const TraceScores& forget;
  const TraceScores& holdout;
  bool only_possible = true;
  std::optional<MiaBaseline> baseline = {};
};

// Runs the audit. Throws Error for wrong input or options, and Stopped if options.bootstrap.stop
// requests it. The result keeps no reference to the input.
MiaReport mia(const MiaInput& input, const MiaOptions& options);

}  // namespace palimpsest::attack
