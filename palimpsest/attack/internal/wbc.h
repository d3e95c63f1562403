// WBC, window-based comparison (Chen et al. 2026, "Window-based Membership Inference Attacks Against
// Fine-tuned Large Language Models", arXiv 2601.02751): what a model was tuned on shows in short
// runs of tokens, which an average over the whole text dilutes. Every window of tokens casts one
// vote, so that a single rare token cannot decide.
//
//   d_t = log p(x_t) - log p_reference(x_t)
//   votes(w) = share of the n-w+1 windows of w tokens whose sum of d_t is positive
//   score = 1 - mean of votes(w) over w in {2, 3, 4, 6, 9, 13, 18, 25, 32, 40}
//
// A w above n counts as n. The published score is the mean itself (higher: a member); here higher
// means less likely a member, in [0, 1]. A model compared with itself scores 1. The tokens are the
// labelled ones without the last, which predicts the end; without any the score is undefined.
#pragma once

#include <optional>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

std::optional<double> wbc_score(const trace::Trace& trace, const trace::Trace& reference);
Attack wbc_attack();

}  // namespace palimpsest::attack
