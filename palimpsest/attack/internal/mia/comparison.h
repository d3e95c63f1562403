// Differences between AUCs on the same examples, estimated by the jackknife over clusters
// (stat/clustered_auc.h): between two attacks on one model, or between one attack on two models
// (the audited one and one that never saw the forget set).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/findings.h"
#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/stat/clustered_auc.h"

namespace palimpsest::attack {

// An attack's scores and its AUC on them. `estimate` is null if the AUC is undefined.
struct EstimatedColumns {
  ScoreColumns scores;
  const stat::ClusteredAuc* estimate = nullptr;
};

// Compares every pair of attacks, in order.
std::vector<AttackComparison> compare_attacks(std::span<const EstimatedColumns> attacks,
                                              const ExampleClusters& clusters, double confidence);

// For each example of `to`, the position in `from` of the example with the same index and
// alternative. Throws Error if there is no such example or if its text differs, because then the
// two were not traced on the same data. `what` names `from` in messages: "the baseline's forget
// traces".
std::vector<size_t> match_examples(const TraceScores& to, const TraceScores& from,
                                   const std::string& what);

}  // namespace palimpsest::attack
