// LOSS (Yeom et al. 2018, "Privacy Risk in Machine Learning"): the average loss itself. It is lower
// for texts that the model was trained on.
//
//   score = avg_loss = (Σ -log p) / (number of labelled positions)
#pragma once

#include <optional>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

std::optional<double> loss_score(const trace::Trace& trace);
Attack loss_attack();

}  // namespace palimpsest::attack
