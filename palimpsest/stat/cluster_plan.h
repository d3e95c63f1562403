// How many clusters would decide an audit, from the variance that was seen and a margin, never from
// the AUC that was seen. With v_+ = G_+·V_+ and v_- = G_-·V_- of one attack and r = G_-/G_+:
//
//   G_+ = (q1 + q2)² (v_+ + v_-/r) / δ²,   G_- = r·G_+,   degrees of freedom iterated
//   detecting ½ ± δ with probability 0.8:  q1 = the multiple of the verdict, q2 = t_0.80
//   clearing a model that is at ½:         q1 = t_0.95, q2 = t_0.90 (t_{1 - 0.1/K} for K attacks)
//
// The larger of both, over all attacks of the family, is what "would decide it" means.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "palimpsest/stat/clustered_auc.h"

namespace palimpsest::stat {

struct ClusterPlan {
  int64_t positives = 0;  // clusters
  int64_t negatives = 0;
};

struct PlanOptions {
  double margin = 0.05;       // δ, in (0, 0.5)
  double confidence = 0.97;   // of the simultaneous interval that decides
  double multiple_ratio = 1;  // simultaneous multiple over Student's t at `confidence`, at least 1
};

// nullopt where no attack has a variance. Every count is at least 5. Throws Error on options out of
// range.
std::optional<ClusterPlan> clusters_needed(std::span<const ClusteredAuc> family,
                                           const PlanOptions& options);

// The AUC above ½ that an audit with this variance tells from ½ with the probability `power`:
// ½ + (multiple + t_power)·√V, at most 1. 1 where the variance is 0 (an AUC of 0 or 1 does not tell
// how far it would vary elsewhere). Throws Error unless 0 < power < 1.
double would_detect(const ClusteredAuc& estimate, double multiple, double power = 0.8);

// Before any data: the same from numbers alone, with Var = deff_+/(12 M) + deff_-/(12 N) and
// deff = 1 + (Σm_g²/Σm_g - 1)·ICC.
struct PlannedSet {
  int64_t clusters = 0;
  double mean_size = 1;   // of a cluster, in items
  double size_ratio = 1;  // Σm_g²/Σm_g over mean_size; 1 where clusters are equally large
};
// The AUC that sets like these would tell from ½; nullopt with fewer than 2 clusters in a set. Throws
// Error on sizes below 1 and on a correlation outside [0, 1].
std::optional<double> would_detect_planned(const PlannedSet& positives, const PlannedSet& negatives,
                                           double intraclass_correlation, double confidence = 0.97,
                                           double power = 0.8);

}  // namespace palimpsest::stat
