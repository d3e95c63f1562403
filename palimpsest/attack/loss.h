// LOSS (Yeom et al. 2018, "Privacy Risk in Machine Learning"): the average loss itself. A model is
// less surprised by what it was trained on.
//
//   score = avg_loss = (Σ -log p) / (number of labelled positions)
#pragma once

#include <optional>

#include "palimpsest/attack/attack.h"

namespace palimpsest {

std::optional<double> loss_score(const Trace& trace);
Attack loss_attack();

}  // namespace palimpsest
