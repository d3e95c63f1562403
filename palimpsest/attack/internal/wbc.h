// Window-based comparison WBC (Chen et al. 2026, "Window-based Membership Inference Attacks Against
// Fine-tuned Large Language Models", arXiv 2601.02751). Texts on which a model was fine-tuned show
// in short runs of tokens, which an average over the whole text dilutes. Every window of tokens has
// one vote, so a single rare token cannot decide.
//
//   d_t = log p(x_t) - log p_reference(x_t)
//   votes(w) = share of the n-w+1 windows of w tokens whose sum of d_t is positive
//   score = 1 - mean of votes(w) over w in {2, 3, 4, 6, 9, 13, 18, 25, 32, 40}
//
// A w greater than n counts as n. The published score is the mean itself, and a higher value means
// a member. Here the score is in [0, 1], and a higher value means less likely a member. A model
// compared with itself scores 1. The tokens are all labelled tokens except the last, which predicts
// the end. If there are none, the score is undefined.
#pragma once

#include <optional>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

std::optional<double> wbc_score(const trace::Trace& trace, const trace::Trace& reference);
Attack wbc_attack();

}  // namespace palimpsest::attack
