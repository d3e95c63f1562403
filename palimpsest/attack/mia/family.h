// The attacks of an audit are one question, asked in several ways: their AUCs with intervals of their
// own and simultaneous ones, one exact p-value for all of them, and what the audit could have seen.
// Nothing here is a verdict; answer.h draws it.
//
// Levels: the headline's 5% are 3% for the AUCs (97% simultaneous intervals and the permutation test)
// and 2% for the test of the tail at a false positive rate of 1%.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/stat/cluster_plan.h"
#include "palimpsest/stat/clustered_auc.h"
#include "palimpsest/stat/family_permutation.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest {

inline constexpr double kFamilyLevel = 0.03;
inline constexpr double kTailLevel = 0.02;
inline constexpr double kTailFpr = 0.01;

struct FamilyMember {
  std::string attack;
  ScoreColumns scores;
  std::optional<ScoreColumns> baseline = {};  // the same examples under the baseline model
  // Whether it takes part in the answer. The others get their own interval and nothing else: attacks
  // beside a primary one, attacks whose reference model itself knows the forget set.
  bool in_family = true;
};

struct FamilyOptions {
  double confidence = 0.95;  // of each attack's own interval
  double margin = 0.05;      // in (0, 0.5): what counts as no different
  uint64_t seed = 0;
  int threads = 0;  // 0: one per core; the result does not depend on it
  // How many draws; fewer are for simulations that infer thousands of families.
  int64_t multiplier_draws = 20000;
  int64_t permutations = 1999;
  int64_t tail_permutations = 999;
};

// One attack. Everything is undefined where its scores do not vary or a set has too few clusters.
struct MemberInference {
  std::string attack;
  std::optional<double> auc;
  std::optional<ClusteredAuc> estimate;
  std::optional<Interval> interval;      // its own, at `confidence`
  std::optional<Interval> simultaneous;  // 97% over the family
  std::optional<Interval> equivalence;   // 90%: two one-sided tests at 5%
  // Against the baseline: the same of the differences of AUCs.
  std::optional<AucDifference> difference;
  std::optional<Interval> difference_interval;
  std::optional<Interval> difference_simultaneous;
  std::optional<Interval> difference_equivalence;
  bool constant = false;  // all scores are equal
  bool in_family = true;
};

struct FamilyInference {
  FamilyOptions options;
  std::vector<MemberInference> members;  // in the order given
  bool has_baseline = false;  // every member has one; then the answer is about differences
  // The family's permutation test and tail. Against a baseline the tail is that of the differences of
  // scores, and there is no permutation p-value: clusters are not exchangeable under it.
  FamilyPermutation permutation;
  ClusterCounts clusters;  // forget: positives, holdout: negatives; the most of any member
  std::string cluster_name;
  std::optional<double> icc;            // the largest of any member; only with clusters
  std::optional<double> design_effect;  // likewise
  // The larger distance of the 90% ends from ½ (from 0 for differences), over the members.
  std::optional<double> smallest_margin;
  // The AUC from which on the audit would have seen it with probability 0.8, whichever attack it is:
  // the largest over the members. Against a baseline the difference of AUCs.
  std::optional<double> would_detect;
  std::optional<ClusterPlan> needed;  // clusters that would decide at the margin
};

// Members without a score for both sets are kept, undefined. Throws Error on options out of range.
FamilyInference infer_family(std::span<const FamilyMember> members, const ExampleClusters& clusters,
                             const FamilyOptions& options);

// Throws Error on options out of range.
void require_valid(const FamilyOptions& options);

}  // namespace palimpsest
