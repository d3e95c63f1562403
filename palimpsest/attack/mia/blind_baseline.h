// A classifier that never sees the model: can the forget set be told from the holdout set by the
// texts alone? Where it can, the two sets differ in topic, style or time, and an attack that tells
// them apart may have read that and not the model's memory (the trap that many published audits
// fell into). So its AUC stands beside the attacks'.
//
// Logistic regression on hashed word and character n-grams (text_features.h), cross-validated in
// stratified folds. Equal texts, and the alternatives of one example, stay in one fold, since a
// classifier that has seen a text's twin recognises the text. Each text is scored by the model that
// was fitted without its fold.
//
// Scores of different folds come from different models and are not comparable as they are: pooled
// naively they are biased against the classifier. So a text's score is its rank within its fold,
// between 0 and 1. Where the texts are exchangeable ranks say nothing about the label in any fold,
// and the expected AUC is exactly ½.
//
// Its spread is larger than DeLong's variance says: text i's label teaches the model that scores
// text j, and the other way round, so that every pair of texts counts twice. To first order the
// variance under exchangeability is up to twice DeLong's, and the interval is widened by √2; that it
// keeps its promise is tested by simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest {

struct BlindOptions {
  int64_t folds = 5;         // at least 2
  double confidence = 0.95;  // of the interval
  uint64_t seed = 0;         // of folds and fit
  int threads = 0;           // 0: one for each core; the result does not depend on it
  // Larger sets are sampled and longer texts cut (at the same length for all), to bound time and
  // memory.
  int64_t max_texts = 2000;       // of each set
  int64_t max_bytes = 2'000'000;  // of all texts together
};

struct BlindBaseline {
  // As an attack's scores: higher means less likely of the forget set. Undefined for the examples
  // that were not sampled.
  ScoreColumn forget;
  ScoreColumn holdout;
  double auc = 0;
  Interval auc_ci;           // DeLong on the logit scale, the variance doubled
  int64_t forget_texts = 0;  // used
  int64_t holdout_texts = 0;

  // The texts alone tell the sets apart.
  bool separates() const { return auc_ci.low > 0.5; }
  ScoreColumns columns() const { return {forget, holdout}; }
};

// Fewer texts of a set than this are too few to learn from.
inline constexpr int64_t kMinBlindTexts = 20;

// nullopt where a set has too few different texts. Examples without a text are left out.
std::optional<BlindBaseline> blind_baseline(const TraceScores& forget, const TraceScores& holdout,
                                            const BlindOptions& options);

}  // namespace palimpsest
