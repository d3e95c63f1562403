// Detects a collapsed model. Unlearning that goes too far leaves a model to which every text is
// equally strange. Its AUC is near ½, but that says nothing about memory, so the audit is void.
//
// There are two signs, and either is enough. Both are read from the holdout set, because an
// unlearned model should still be able to read such text:
//
//   below_unigram   the mean log p of the holdout set is lower than under a unigram model of the
//                   texts of both sets:  p(x in text i) = (c(x) - c_i(x) + 1) / (N - N_i + V)
//                   c and N: counts of the labelled tokens over both sets; c_i and N_i: in text i;
//                   V: one more than the highest id among labels and argmax tokens
//   one_argmax      one token is the model's most likely token at 90% of the labelled positions,
//                   but is the true token at fewer than half of them
//
// The unigram model leaves out the text that it predicts and reserves probability for every unseen
// id. So it is an honest predictor that sees neither the order of tokens nor the prompt. If it
// counted the text itself, a handful of short texts would beat any language model, because their
// own frequencies have an entropy of at most log N. A model that makes any good use of the
// preceding words is far above it. A model with random weights has -log V and is below it, as it
// should be, because it knows nothing either.
//
// The first sign needs 'logprob' and 'label', the second 'argmax'; a sign is absent if no holdout
// trace has them, or if there are fewer than kFewestPositions positions. Examples that lack them
// are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "palimpsest/attack/trace_scores.h"

namespace palimpsest::attack {

inline constexpr double kOneArgmaxShare = 0.9;
inline constexpr double kOneArgmaxLabelShare = 0.5;
inline constexpr int64_t kFewestPositions = 50;

struct Collapse {
  // Mean natural log-probabilities per labelled token of the holdout set. Both are set, or neither.
  std::optional<double> mean_logprob;
  std::optional<double> unigram_logprob;
  // The share of positions at which argmax_token, the most frequent one, is the most likely token.
  std::optional<double> argmax_share;
  int64_t argmax_token = 0;
  // Its share of the true tokens; absent if there are no labels.
  std::optional<double> argmax_label_share;

  bool below_unigram() const { return mean_logprob && *mean_logprob < *unigram_logprob; }
  bool one_argmax() const {
    return argmax_share && *argmax_share >= kOneArgmaxShare &&
           argmax_label_share.value_or(0) < kOneArgmaxLabelShare;
  }
  bool collapsed() const { return below_unigram() || one_argmax(); }

  // A sentence that says what was found; empty unless collapsed.
  std::string evidence() const;
};

Collapse detect_collapse(const TraceScores& forget, const TraceScores& holdout);

}  // namespace palimpsest::attack
