// The AUC of items that come in clusters, with its uncertainty by the delete-one-cluster jackknife.
// A is the AUC, and A_(-g) is the AUC without cluster g. V10 and V01 are the placements of the M
// positives and the N negatives (see delong.h). T_g = Σ V10 and U_g = Σ V01 are their sums over
// cluster g, and w_g is the Mann-Whitney count inside g. m_g and n_g are the numbers of positives
// and negatives in g; G_s is the number of clusters in stratum s:
//
//   A_(-g) = (M·N·A - N·T_g - M·U_g + w_g) / ((M - m_g)(N - n_g))
//   ψ_g    = √((G_s - 1)/G_s) · (A_(-g) - A)
//   V_s    = Σ_{g in s} ψ_g²,   strata s: positives only, negatives only, both
//   V      = Σ V_s,   df = V² / Σ V_s²/(G_s - 1)
//   interval: logistic(logit A ± t_{1-α/2, df} · √V / (A(1 - A)))
//
// If all clusters have the same size, this is the variance of Obuchowski (1997); for clusters of
// one item, it is DeLong's. Items have equal weight, so a large cluster has more weight than a
// small one.
//
// Degenerate cases: An AUC of exactly 0 or 1 gets the exact bound for min(G_+, G_-) independent
// pairs, where G_+ and G_- are the numbers of clusters with positives and with negatives. If the
// variance is otherwise 0 (all scores are equal), everything but the AUC is undefined. The same
// holds if a class has fewer than two clusters, or if one cluster holds all items of a class. A
// stratum may consist of a single cluster if its classes also have clusters in other strata. Its
// factor √((G_s - 1)/G_s) in ψ_g would be 0, as if this cluster did not vary. So the factor is
// taken to be 1, and the stratum has one degree of freedom.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "palimpsest/stat/clusters.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

struct ClusteredAuc {
  double auc = 0;
  double variance = 0;            // V; greater than 0 unless the AUC is 0 or 1
  double degrees_of_freedom = 0;  // 0 if the variance is 0
  // ψ_g at index g, for each cluster number g; 0 for a number without items. Several scores of the
  // same items have the same cluster numbers, so their influences can be compared entry by entry.
  std::vector<double> influence;
  std::vector<ClusterStratum> strata;  // indexed by cluster number, like `influence`
  ClusterCounts clusters;
  // Parts of V, for internal/cluster_plan.h. A cluster with items in both classes counts half in
  // each.
  double variance_positives = 0;
  double variance_negatives = 0;

  double standard_error() const { return std::sqrt(variance); }
};

// Returns nullopt if the AUC or its variance is undefined; see above.
std::optional<ClusteredAuc> clustered_auc(const ScoresView& scores, const ScoreClusters& clusters);

Interval auc_interval(const ClusteredAuc& estimate, double confidence = 0.95);

// The interval with a given multiple of the standard error, such as the multiple of a simultaneous
// interval. An AUC of 0 or 1 gets the exact bound at `confidence` instead.
Interval auc_interval_with(const ClusteredAuc& estimate, double multiple, double confidence);

// The AUC of score a minus the AUC of score b on the same items. ψ_g and the degrees of freedom are
// those of the difference. Unlike a single AUC, the difference is not transformed to the logit
// scale.
struct AucDifference {
  double auc_a = 0;
  double auc_b = 0;
  double variance = 0;
  double degrees_of_freedom = 0;
  std::vector<double> influence;  // indexed by cluster number
  ClusterCounts clusters;

  double difference() const { return auc_a - auc_b; }
  double standard_error() const { return std::sqrt(variance); }
};

// Both must come from the same items and clusters; throws Error if the numbers of clusters differ.
// If only one of the two scores is defined for the items of a cluster, the influence of that
// cluster comes from this score alone. Returns nullopt if the AUCs differ but the difference has no
// variance. If the influences are the same everywhere and the AUCs are equal, the variance is 0.
std::optional<AucDifference> auc_difference(const ClusteredAuc& a, const ClusteredAuc& b);

// The difference ± t · standard error, within [-1, 1].
Interval difference_interval(const AucDifference& estimate, double confidence = 0.95);

// The two-sided p-value for the hypothesis that the AUCs are equal, by Student's t. It is 1 if they
// do not differ.
double difference_p_value(const AucDifference& estimate);

// How much more the AUC varies than it would for independent items: V divided by DeLong's variance.
// It is 1 for clusters of one item. Returns nullopt if either variance is undefined or 0.
std::optional<double> design_effect(const ScoresView& scores, const ScoreClusters& clusters);

// The intraclass correlation of the midranks. Items are ranked among both classes, but clusters are
// compared only within their class. It is the estimator of the one-way analysis of variance,
// (MSB - MSW)/(MSB + (k0 - 1)·MSW), and at least 0. MSB and MSW are the mean squares between and
// within clusters, and k0 is the average cluster size of that analysis. A cluster with items in
// both classes counts as two. Returns nullopt if every cluster has one item, if no class has two
// clusters, or if the ranks do not vary.
std::optional<double> rank_intraclass_correlation(const ScoresView& scores,
                                                  const ScoreClusters& clusters);

}  // namespace palimpsest::stat
