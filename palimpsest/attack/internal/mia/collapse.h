// Does the model answer anything at all any more? Unlearning that goes too far leaves a model to
// which every text is equally strange. Its AUC is near ½, which says nothing about memory: the
// audit is void.
//
// Either of two signs, both read off the holdout set, which an unlearned model is meant to keep
// knowing how to read:
//
//   below_unigram   Σ log p / positions of the holdout set  <  the same under a unigram model of
//                   the texts of both sets:  p(x in text i) = (c(x) - c_i(x) + 1) / (N - N_i + V)
//                   c: counts of the labelled tokens over both sets, c_i, N_i: of the text in
//                   question, V: one more than the highest id seen among labels and argmax tokens
//   one_argmax      one token is the model's first choice at 90% of the labelled positions, while
//                   fewer than half of the true tokens are that one
//
// The unigram model leaves the text in question out and reserves room for every unseen id, so it is
// an honest predictor that sees neither order nor prompt. Counting the text itself would let a
// handful of short texts beat any language model: their own frequencies have no more than log N of
// entropy. A model that uses the words before to any good at all is above it by a wide margin; a
// model with random weights, at -log V, is below it, as it should be: it knows nothing either.
//
// Where no holdout trace has 'logprob' and 'label' the first sign is absent, without 'argmax' the
// second; likewise with fewer than kFewestPositions positions. Examples that lack something are
// left out of that sign.
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
  // Per labelled token of the holdout set, natural logarithm. Both or neither.
  std::optional<double> mean_logprob;
  std::optional<double> unigram_logprob;
  // Of the token that is most often the first choice.
  std::optional<double> argmax_share;
  int64_t argmax_token = 0;
  std::optional<double> argmax_label_share;  // its share of the true tokens; absent without labels

  bool below_unigram() const { return mean_logprob && *mean_logprob < *unigram_logprob; }
  bool one_argmax() const {
    return argmax_share && *argmax_share >= kOneArgmaxShare &&
           argmax_label_share.value_or(0) < kOneArgmaxLabelShare;
  }
  bool collapsed() const { return below_unigram() || one_argmax(); }

  // A sentence for people that says what was found; empty unless collapsed.
  std::string evidence() const;
};

Collapse detect_collapse(const TraceScores& forget, const TraceScores& holdout);

}  // namespace palimpsest::attack
