// EZ-MIA, error-zone attack (Ilić et al. 2026, "Powerful Training-Free Membership Inference Against
// Fine-Tuned Autoregressive Language Models", arXiv 2601.12104): where the model's first choice is wrong,
// training on the text shows as probability that moved towards the true token all the same.
//
//   E = {t: argmax_t ≠ x_t},  d_t = log p(x_t) - log p_reference(x_t)
//   up = Σ_E max(d_t, 0),  down = Σ_E max(-d_t, 0)
//   score = down / (up + down)
//
// The published score is up/down (higher: a member). It is unbounded, so this is the same ranking on
// a bounded scale, 1/(1 + up/down): in [0, 1], higher means less likely a member. An example whose
// shift goes upwards only scores 0, the most member-like, and so does one without any error, as the
// paper has it (its public code gives the former the least member-like score instead: a bug). Where
// E has tokens but none of them moved, there is no evidence either way: ½.
//
// The tokens are the labelled ones without the last, which predicts the end; without any the score
// is undefined.
#pragma once

#include <optional>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

std::optional<double> ez_mia_score(const trace::Trace& trace, const trace::Trace& reference);
Attack ez_mia_attack();

}  // namespace palimpsest::attack
