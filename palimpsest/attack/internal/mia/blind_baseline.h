// A classifier that never sees the model: can the forget set be distinguished from the holdout set
// by the texts alone? If so, the two sets differ in topic, style or time. An attack that
// distinguishes the sets may then rely on that difference and not on the model's memory; many
// published audits fell into this trap. So the AUC of this classifier is reported beside those of
// the attacks.
//
// The classifier is a ridge regression (stat/internal/ridge.h) on hashed word and character n-grams
// (text_features.h), with cross-validation. Texts that belong together stay in one fold: the texts
// of a cluster, equal texts, and the alternatives of one example, which are several answers to one
// question (blind_texts.h). Otherwise, for example, the name of an author would reveal the set of
// all texts about that author. Each text is scored by the regression that was fitted without its
// fold.
//
// Scores of different folds come from different regressions and are not comparable: if they were
// simply pooled, the AUC would be biased against the classifier. So a text's score is its rank
// within its fold, between 0 and 1.
//
// There is no confidence interval, because the folds share training texts and no variance formula
// is valid. Instead the labels of whole clusters are permuted within the folds and everything is
// fitted again:
//
//   p = (1 + number of permuted AUCs >= AUC) / (permutations + 1)
//
// This p-value is exact if clusters were assigned to the sets at random. With few clusters a large
// AUC is not unusual (its standard deviation is about 0.08 with 20 authors per set); the range of
// the permuted AUCs shows this. A large p-value proves nothing: differences that word counts do not
// show, or show only weakly, are not found.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/findings.h"
#include "palimpsest/attack/trace_scores.h"

namespace palimpsest::attack {

struct BlindOptions {
  // At least 2. Fewer folds are used if a set has fewer than two clusters per fold.
  int64_t folds = 5;
  int64_t permutations = 199;  // at least 19, else no p-value is 0.05 or less
  uint64_t seed = 0;           // for the sample, the folds and the permutations
  int threads = 0;             // 0: one per core; the result does not depend on it
  std::stop_token stop = {};   // once it requests a stop, the permutations throw Stopped
  // Limits on time and memory. From larger sets, whole clusters are sampled. Longer texts are cut,
  // all at the same length.
  int64_t max_texts = 1000;       // about this many in both sets together
  int64_t max_bytes = 1'000'000;  // the same for the size of the texts
};

// A set with fewer distinct texts or fewer clusters than this is too small to learn from.
inline constexpr int64_t kMinBlindTexts = 20;
inline constexpr int64_t kMinBlindClusters = 5;

// Returns nullopt if a set has too few distinct texts or too few clusters. Examples without a text
// are left out. `clusters` must have a cluster number for every example of both sets.
std::optional<BlindBaseline> blind_baseline(const TraceScores& forget, const TraceScores& holdout,
                                            const ExampleClusters& clusters,
                                            const BlindOptions& options);

}  // namespace palimpsest::attack
