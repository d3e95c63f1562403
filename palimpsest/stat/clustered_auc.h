// The AUC where items come in clusters, by the delete-one-cluster jackknife. With V10 and V01 the
// placements of the M positives and N negatives, T_g = Σ V10 and U_g = Σ V01 over the cluster g, and
// w_g the Mann-Whitney count inside g:
//
//   A_(-g) = (M·N·A - N·T_g - M·U_g + w_g) / ((M - m_g)(N - n_g))
//   ψ_g    = √((G_s - 1)/G_s) · (A_(-g) - A)
//   V_s    = Σ_{g in s} ψ_g²,   strata s: positives only, negatives only, both
//   V      = Σ V_s,   df = V² / Σ V_s²/(G_s - 1)
//   interval: logistic(logit A ± t_{1-α/2, df} · √V / (A(1 - A)))
//
// Equal sizes give Obuchowski's (1997) variance, clusters of one DeLong's. Items weigh equally, so a
// large cluster weighs more than a small one.
//
// Degenerate cases: an AUC of exactly 0 or 1 has the exact bound of min(G_+, G_-) independent pairs;
// a variance of 0 elsewhere (all scores equal) leaves everything but the AUC undefined; so does a
// class with fewer than two clusters, and a cluster that holds all items of a class. A stratum of one
// cluster (beside others of the same class in both) takes the factor 1 for ψ and one degree of
// freedom: taking 0 would say that this cluster does not vary.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "palimpsest/stat/clusters.h"
#include "palimpsest/stat/interval.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

struct ClusteredAuc {
  double auc = 0;
  double variance = 0;            // V, greater than 0 unless the AUC is 0 or 1
  double degrees_of_freedom = 0;  // 0 where the variance is
  // ψ_g per cluster number; 0 for a number without items. Several scores of the same items have
  // theirs in the same places, which is what makes them comparable.
  std::vector<double> influence;
  std::vector<ClusterStratum> strata;  // one per cluster number, in the same places
  ClusterCounts clusters;
  double variance_positives = 0;  // V_s, for planning; clusters in both classes count half here
  double variance_negatives = 0;  // and half there

  double standard_error() const;
};

// nullopt where it is undefined, see above.
std::optional<ClusteredAuc> clustered_auc(const LabelledScores& scores,
                                          const ScoreClusters& clusters);

// The interval of one AUC, at the confidence asked for.
Interval auc_interval(const ClusteredAuc& estimate, double confidence = 0.95);

// The same with a multiple of the standard error that somebody else computed (a simultaneous one).
// An AUC of 0 or 1 has the exact bound at `confidence` instead.
Interval auc_interval_with(const ClusteredAuc& estimate, double multiple, double confidence);

// AUC of a minus AUC of b on the same items, ψ_g and df of the differences, on the raw scale.
struct AucDifference {
  double auc_a = 0;
  double auc_b = 0;
  double variance = 0;
  double degrees_of_freedom = 0;
  std::vector<double> influence;  // as above
  ClusterCounts clusters;

  double difference() const { return auc_a - auc_b; }
  double standard_error() const;
};

// Both must come from the same items and clusters; Error if the numbers of clusters differ. A cluster
// of which one of the two has no items (undefined scores) counts with what the other says. nullopt
// where the two differ without any variance; a difference of 0 everywhere has variance 0.
std::optional<AucDifference> auc_difference(const ClusteredAuc& a, const ClusteredAuc& b);

// Difference ± t·se, within [-1, 1].
Interval difference_interval(const AucDifference& estimate, double confidence = 0.95);

// Two-sided p-value of "the AUCs are equal", from t; 1 where they do not differ at all.
double difference_p_value(const AucDifference& estimate);

// How much more the AUC varies than it would if the items were independent: V over DeLong's
// variance. 1 for clusters of one. nullopt where either is undefined or 0.
std::optional<double> design_effect(const LabelledScores& scores, const ScoreClusters& clusters);

// The intraclass correlation of the pooled midranks, within classes: the one-way analysis of
// variance estimator (MSB - MSW)/(MSB + (k0 - 1)·MSW) over the clusters of both classes, a cluster
// in both taken as two, at least 0. nullopt where every cluster has one item, no class has two
// clusters, or the ranks do not vary.
std::optional<double> rank_intraclass_correlation(const LabelledScores& scores,
                                                  const ScoreClusters& clusters);

}  // namespace palimpsest::stat
