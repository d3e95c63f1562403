// One exact test for a family of attacks: is any of them better than chance at telling the positives
// from the negatives? Under the hypothesis that clusters are exchangeable between the classes, their
// labels can be permuted; the largest standardised distance from ½ over all attacks is compared with
// what it would have been.
//
//   statistic: max_k |A_k - ½| / sd_k
//   p = (1 + #{permuted >= observed}) / (1 + permutations)
//
// sd_k² is the mean of (A_k - ½)² over the permutations and the labels as they are: about ½, since
// distances from ½ are compared (and an attack that no permutation changes then has p = 1), and with
// the actual labels, so that all labellings enter alike and the level is exact.
//
// Every permutation draws anew which clusters are positive, as many as there are. Clusters with items
// in both classes permute their labels within the cluster instead. All attacks share the labels. An
// AUC under permuted labels is a sum of the clusters' midranks (over the positives and negatives
// that the labels give, whose numbers change where clusters differ in size): O(clusters × attacks)
// per permutation. Ten attacks on 2 × 100,000 independent items take about as long as 1,000 bootstrap
// resamples of each, so no permutation is saved on large inputs.
//
// And the tail: a few records plainly remembered move the AUC little. With k = ⌊f·n⌋ negatives above
// the threshold, x positives lie beyond the (k+1)-th highest negative; without memory so many or more
// have the (negative hypergeometric) probability
//
//   tail_p_value = P(X >= x) = HypergeometricCDF(k; population m + n, n of them negatives, x + k drawn)
//
// The statistic is the smallest over all attacks, its null again comes from the permutations: O(f·n)
// per attack, since the scores are sorted once. Only high scores of positives count.
//
// Attacks may leave different items undefined. Where an attack lacks some items of a cluster that is
// in both classes, it is not known which, and it permutes the labels of those that it has by itself.
//
// Clusters that are exchangeable are assumed, and sizes belong to them: if the sets were built so
// that each holds one of two very large clusters, the tail's level of 2% was 2.3% in simulations,
// since permutations put both into one set half of the time; dealt at random, it was 2.0%.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/stat/clusters.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

// One attack: its scores and the clusters of the items that it has scores for. Cluster numbers mean
// the same cluster in all attacks of a family.
struct ClusteredScores {
  LabelledScores scores;
  ScoreClusters clusters;
};

struct FamilyPermutationOptions {
  int64_t permutations = 1999;  // at least 99
  double tail_fpr = 0.01;       // f, in (0, 1)
  int64_t tail_permutations = 999;
  uint64_t seed = 0;
  int threads = 0;  // 0: one per core; the result does not depend on it
};

struct FamilyPermutation {
  std::optional<double> p_value;  // of the AUCs; nullopt where no attack has both classes
  // Of the tail: nullopt also where the negatives are too few for the rate (n·f < 1).
  std::optional<double> tail_p_value;
  std::optional<size_t> tail_attack;  // whose tail gave the smallest p
};

FamilyPermutation permute_family(std::span<const ClusteredScores> attacks,
                                 const FamilyPermutationOptions& options = {});

// The p-value of one attack's tail, as if items were independent; exact then. nullopt where n·f < 1.
// Ties with the threshold do not count as beyond it.
std::optional<double> tail_p_value(const LabelledScores& scores, double fpr);

}  // namespace palimpsest::stat
