// GradNorm (Wang et al. 2024, "Pandora's White-Box", arXiv 2402.17012): how far one more training
// step on the example would move the weights. From a member, a model has little left to learn.
//
//   score = mean over the parameter tensors of ‖∂L/∂W‖_p,  L = -mean of the token log-probabilities
//
// with p in {1, 2, ∞}. The model computes the norm when it is run; this attack reads it from the
// trace. The tokens are all labelled tokens except the last, which predicts the end. If there are
// none, there is no gradient and the score is undefined. A higher score means less likely a member.
#pragma once

#include <optional>
#include <string>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

std::optional<double> gradnorm_score(const trace::Trace& trace, double p);
Attack gradnorm_attack();

// The key of Trace::grad_norm: "1", "2" or "inf".
std::string grad_norm_key(double p);

}  // namespace palimpsest::attack
