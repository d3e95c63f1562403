// How many clusters an audit would need in order to reach a verdict. The number follows from the
// observed variance and from a margin δ, never from the observed AUC. G_+ and G_- are the numbers
// of clusters of the two classes, and r = G_-/G_+. The variance of the AUC under one attack has a
// part V_+ from the positives and a part V_- from the negatives. So v_+ = G_+·V_+ and v_- = G_-·V_-
// are the parts for a single cluster. The verdict comes from a simultaneous interval. Its
// half-width in standard errors is called the multiple of the verdict:
//
//   G_+ = (q1 + q2)² (v_+ + v_-/r) / δ²,   G_- = r·G_+
//   to detect ½ ± δ with probability 0.8:  q1 = the multiple of the verdict, q2 = t_0.80
//   to find equivalence at an AUC of ½:    q1 = t_0.95, q2 = t_0.90 (t_{1 - 0.1/K} for K attacks)
//
// t_p is the quantile of Student's t at p. Its degrees of freedom depend on G_+ and G_-, so the
// smallest solution is searched for. To find equivalence means to find that all AUCs are within ½ ±
// δ. The result is the larger of both numbers, and the largest over all attacks of the family.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "palimpsest/stat/clustered_auc.h"

namespace palimpsest::stat {

struct PlanOptions {
  double margin = 0.05;       // δ, in (0, 0.5)
  double confidence = 0.97;   // of the simultaneous interval that gives the verdict
  double multiple_ratio = 1;  // the simultaneous multiple, divided by Student's t at `confidence`
};

// Returns nullopt if no attack has a variance. Every count is at least 5. Throws Error if an option
// is out of range.
std::optional<ClusterPlan> clusters_needed(std::span<const ClusteredAuc> family,
                                           const PlanOptions& options);

// The AUC above ½ that an audit with this variance detects with the probability `power`. It is
// ½ + (multiple + t_power)·√V, at most 1, where `multiple` is the multiple of the verdict. If the
// variance is 0, the result is 1, because an AUC of exactly 0 or 1 does not show how much it would
// vary on other data. Throws Error unless `power` is in (0, 1).
double would_detect(const ClusteredAuc& estimate, double multiple, double power = 0.8);

// One of the two sets of an audit that is being planned, before there are any data. The variance of
// the AUC is assumed to be deff_+/(12 M) + deff_-/(12 N) for M positives and N negatives. deff is
// the design effect, the factor by which clusters raise the variance. For clusters of m_g items and
// the intraclass correlation ICC, deff = 1 + (Σm_g²/Σm_g - 1)·ICC.
struct PlannedSet {
  int64_t clusters = 0;
  double mean_size = 1;   // items per cluster, on average
  double size_ratio = 1;  // Σm_g²/Σm_g divided by mean_size; 1 if all clusters are equally large
};
// The AUC that sets like these would detect. Returns nullopt if a set has fewer than 2 clusters.
// Throws Error for sizes below 1 and for a correlation outside [0, 1].
std::optional<double> would_detect_planned(const PlannedSet& positives, const PlannedSet& negatives,
                                           double intraclass_correlation, double confidence = 0.97,
                                           double power = 0.8);

}  // namespace palimpsest::stat
