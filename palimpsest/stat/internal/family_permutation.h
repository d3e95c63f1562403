// One exact test for a family of attacks: does any of them distinguish the positives from the
// negatives better than chance? Under the null hypothesis, clusters are exchangeable between the
// classes, so their labels can be permuted. The test statistic is the largest standardised distance
// of an AUC from ½ over all attacks. It is compared with its values under permuted labels.
//
//   statistic: max_k |A_k - ½| / sd_k
//   p = (1 + #{permuted >= observed}) / (1 + permutations)
//
// A_k is the AUC of attack k. sd_k² is the mean of (A_k - ½)² over all permutations and the actual
// labels. It is centred at ½ and not at the mean of A_k, because distances from ½ are compared. So
// an attack whose AUC is the same under all permutations has p = 1. The mean sd_k² includes the
// actual labels so that all labellings are treated alike, which makes the level exact.
//
// Every permutation draws again which clusters are positive, and keeps their number. A cluster with
// items in both classes permutes its labels within the cluster instead. All attacks share the
// permuted labels. An AUC under permuted labels is a sum of the clusters' midranks, so a
// permutation takes O(clusters × attacks) time. (If clusters differ in size, the numbers of
// positive and negative items change with the labels.) For ten attacks on 2 × 100,000 independent
// items, the test takes about as long as 1,000 bootstrap resamples of every attack. So large inputs
// get as many permutations as small ones.
//
// A second test looks at the tail of the scores, because a few records that are plainly remembered
// move the AUC only a little. f is a false positive rate (tail_fpr). Of n negatives, k = ⌊f·n⌋ may
// lie above the threshold, so the threshold is the (k+1)-th highest negative. x of the m positives
// lie above it. If nothing is remembered, x or more of them do so with the (negative
// hypergeometric) probability
//
//   tail_p_value = P(X >= x) = HypergeometricCDF(k; population m + n, n negatives, x + k drawn)
//
// The test statistic is the smallest such probability over all attacks, and its null distribution
// again comes from permutations. As the scores are sorted once, a permutation takes O(f·n) per
// attack. Only high scores of positives count.
//
// Attacks may have undefined scores for different items. In a cluster with both classes, the i-th
// item of one attack is taken to be the i-th item of every other attack, so that all of them share
// the permuted labels. This is not possible for an attack that has no score for some items of the
// cluster. Such an attack permutes the labels of its own items in that cluster, independently of
// the other attacks.
//
// The test assumes that clusters are exchangeable, including their sizes. In simulations in which
// each set was given one of two very large clusters, the tail test at the level 2% rejected in 2.3%
// of the cases, because permutations put both clusters into one set half of the time. With clusters
// dealt at random, it rejected in 2.0%.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>

#include "palimpsest/stat/clusters.h"
#include "palimpsest/stat/labelled_scores.h"

namespace palimpsest::stat {

// The scores of one attack, and the clusters of the items that have scores. A cluster number means
// the same cluster in all attacks of a family.
struct ClusteredScores {
  LabelledScores scores;
  ScoreClusters clusters;
};

struct FamilyPermutationOptions {
  int64_t permutations = 1999;  // at least 99
  double tail_fpr = 0.01;       // f, the false positive rate of the tail; in (0, 1)
  int64_t tail_permutations = 999;
  uint64_t seed = 0;
  int threads = 0;            // 0: one per core; the result does not depend on it
  std::stop_token stop = {};  // once it requests a stop, the permutations throw Stopped
};

struct FamilyPermutation {
  std::optional<double> p_value;  // of the AUC test; nullopt unless some attack has both classes
  // The p-value of the tail test. It is nullopt also if n·f < 1, when there are too few negatives
  // for the rate.
  std::optional<double> tail_p_value;
  std::optional<size_t> tail_attack;  // the attack whose tail gave the smallest probability
};

FamilyPermutation permute_family(std::span<const ClusteredScores> attacks,
                                 const FamilyPermutationOptions& options = {});

// The p-value of one attack's tail. It is exact if the items are independent. Returns nullopt if
// n·f < 1. Scores equal to the threshold do not count as above it.
std::optional<double> tail_p_value(const ScoresView& scores, double fpr);

}  // namespace palimpsest::stat
