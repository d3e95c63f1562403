// A classifier that never sees the model: can the forget set be told from the holdout set by the
// texts alone? Where it can, the two sets differ in topic, style or time, and an attack that tells
// them apart may have read that and not the model's memory (the trap that many published audits
// fell into). So its AUC stands beside the attacks'.
//
// Ridge regression (stat/ridge.h) on hashed word and character n-grams (text_features.h),
// cross-validated in folds. What belongs together stays in one fold: the texts of a cluster, whose
// names would give it away, equal texts and the alternatives of one example (blind_texts.h). Each text
// is scored by the model that was fitted without its fold.
//
// Scores of different folds come from different models and are not comparable as they are: pooled
// naively they are biased against the classifier. So a text's score is its rank within its fold,
// between 0 and 1.
//
// There is no interval: folds share the texts they learn from, and no formula for the spread holds.
// Instead the labels of whole clusters are permuted within the folds and everything is fitted again,
//
//   p = (1 + number of permuted AUCs >= AUC) / (permutations + 1)
//
// which is exact if clusters were assigned to the sets at random. With few clusters a large AUC is
// ordinary (its standard deviation is about 0.08 with 20 authors per set), which the range of the
// permuted AUCs shows. Silence proves nothing: differences that word counts do not show, or show
// weakly, are not seen.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/attack/mia/telling_features.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest {

struct BlindOptions {
  int64_t folds = 5;  // at least 2; fewer are used where a set has not twice as many clusters
  int64_t permutations = 199;  // at least 19, else no p-value is 0.05 or less
  uint64_t seed = 0;           // of sample, folds and permutations
  int threads = 0;             // 0: one per core; the result does not depend on it
  // Larger sets are sampled by whole clusters and longer texts cut (at the same length for all), to
  // bound time and memory.
  int64_t max_texts = 1000;       // of both sets together, about
  int64_t max_bytes = 1'000'000;  // likewise
};

// The level of the test.
inline constexpr double kBlindLevel = 0.05;

struct BlindBaseline {
  // As an attack's scores: higher means less likely of the forget set. Undefined for the examples
  // that were not sampled.
  ScoreColumn forget;
  ScoreColumn holdout;
  double auc = 0;
  double p_value = 1;        // one-sided: of an AUC at least as large if clusters are exchangeable
  Interval null_range;       // the central 95% of the permuted AUCs
  int64_t forget_texts = 0;  // used
  int64_t holdout_texts = 0;
  int64_t forget_clusters = 0;  // that they make up; those that share a text count as one
  int64_t holdout_clusters = 0;
  // What gave the sets away, the strongest first; empty where p_value is above the level.
  std::vector<TellingFeature> telling;

  // The texts alone tell the sets apart, and by more than the margin: an audit of them is void.
  bool separates(double margin = 0.05) const {
    return p_value <= kBlindLevel && auc >= 0.5 + margin;
  }
  // They do, but by less: worth a note.
  bool notable(double margin = 0.05) const { return p_value <= kBlindLevel && auc < 0.5 + margin; }
  ScoreColumns columns() const { return {forget, holdout}; }
};

// Fewer different texts or fewer clusters of a set than this are too few to learn from.
inline constexpr int64_t kMinBlindTexts = 20;
inline constexpr int64_t kMinBlindClusters = 5;

// nullopt where a set has too few different texts or too few clusters. Examples without a text are
// left out. `clusters` has one number per example.
std::optional<BlindBaseline> blind_baseline(const TraceScores& forget, const TraceScores& holdout,
                                            const ExampleClusters& clusters,
                                            const BlindOptions& options);

}  // namespace palimpsest
