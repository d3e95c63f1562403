// The attacks of an audit ask one question in several ways, so they are analysed together as a
// family. The result holds each attack's AUC with its own interval and a simultaneous interval, one
// exact p-value for the whole family, and the smallest effect that the audit could have detected.
// Nothing here is a verdict; answer.h derives it.
//
// The 5% error level of the answer is divided: 3% for the AUCs (97% simultaneous intervals and the
// permutation test) and 2% for the tail test, which looks at the true positive rate at a false
// positive rate of 1%.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/stat/clustered_auc.h"
#include "palimpsest/stat/internal/cluster_plan.h"
#include "palimpsest/stat/internal/family_permutation.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::attack {

inline constexpr double kFamilyLevel = 0.03;
inline constexpr double kTailLevel = 0.02;
inline constexpr double kTailFpr = 0.01;

// One attack of an audit as the analysis of all attacks together sees it: its scores, and those of
// the baseline model.
struct FamilyMember {
  std::string attack;     // for tables; names parameters
  std::string name = {};  // Answer::attack_name, if it is the one that the answer names
  ScoreColumns scores;
  std::optional<ScoreColumns> baseline = {};  // the same examples under the baseline model
  // Whether the attack takes part in the answer. If not, it gets only its own interval. Attacks are
  // excluded if another one was named as the primary attack, or if their reference model itself
  // knows the forget set.
  bool in_family = true;
};

struct FamilyOptions {
  double confidence = 0.95;  // of each attack's own interval
  double margin = 0.05;      // in (0, 0.5); smaller distances from ½ count as no difference
  uint64_t seed = 0;
  int threads = 0;                // 0: one per core; the result does not depend on it
  std::stop_token stop = {};      // once it requests a stop, the analysis throws Stopped
  double validation_split = 0.5;  // see PickOptions
  // Numbers of random draws. Simulations that analyse thousands of families use fewer.
  int64_t multiplier_draws = 20000;
  int64_t permutations = 1999;
  int64_t tail_permutations = 999;
};

// The results of one attack. Every value is undefined if the scores do not vary or if a set has too
// few clusters.
struct MemberInference {
  std::string attack;
  std::string name;
  std::optional<double> auc;
  std::optional<stat::ClusteredAuc> estimate;
  std::optional<stat::Interval> interval;      // its own interval, at `confidence`
  std::optional<stat::Interval> simultaneous;  // 97% over the family
  std::optional<stat::Interval> equivalence;   // 90%, equivalent to two one-sided tests at 5%
  // The same for the AUC minus that under the baseline model.
  std::optional<stat::AucDifference> difference;
  std::optional<stat::Interval> difference_interval;
  std::optional<stat::Interval> difference_simultaneous;
  std::optional<stat::Interval> difference_equivalence;
  bool constant = false;  // all scores are equal
  bool in_family = true;
};

struct FamilyInference {
  FamilyOptions options;
  std::vector<MemberInference> members;  // in the given order
  bool has_baseline = false;  // whether every member has one; then the answer is about differences
  // The permutation test and the tail test of the family. With a baseline, the tail test uses the
  // differences of the scores, and there is no permutation p-value, because clusters are not
  // exchangeable then.
  stat::FamilyPermutation permutation;
  // The positives are the forget set, the negatives the holdout set. These are the largest counts
  // of any member.
  stat::ClusterCounts clusters;
  std::string cluster_name;
  // The largest intraclass correlation and the largest design effect of any member
  // (stat/clustered_auc.h). Both are defined only if there are clusters.
  std::optional<double> icc;
  std::optional<double> design_effect;
  // How evenly the examples are spread over the clusters: Kish's effective number of clusters (the
  // number of equally large clusters that would carry the same weight), divided by the number of
  // clusters. The smaller value of the two sets is taken. Near 1 the clusters are of similar size.
  // If it is small, a few large clusters decide how wide the intervals are, and would_detect is
  // itself uncertain.
  double cluster_evenness = 1;
  // The smallest margin at which all members would count as equivalent: the largest distance of any
  // end of their 90% intervals from ½ (from 0 for differences).
  std::optional<double> smallest_margin;
  // What the audit would have detected with probability 0.8, whichever attack shows it. Every
  // member has a smallest AUC that it would have detected; this is the largest of them. With a
  // baseline, it is a difference of AUCs.
  std::optional<double> would_detect;
  // The number of clusters that would be enough to decide at the margin.
  std::optional<stat::ClusterPlan> needed;
  // What an observer could pick out: the most familiar forget records, or the least familiar ones.
  std::optional<PickedOut> familiar;
  std::optional<PickedOut> unfamiliar;
};

// Members that lack scores for a set are kept, with undefined results. Throws Error if an option is
// out of range.
FamilyInference infer_family(std::span<const FamilyMember> members, const ExampleClusters& clusters,
                             const FamilyOptions& options);

// Throws Error if an option is out of range.
void require_valid(const FamilyOptions& options);

}  // namespace palimpsest::attack
