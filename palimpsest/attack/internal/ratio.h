// Ratio (Carlini et al. 2021, "Extracting Training Data from Large Language Models"): as Reference,
// but in proportion: halving a loss of 4 weighs as much as halving one of 1.
//
//   score = avg_loss / avg_loss of the reference model on the same tokens
//
// Undefined without any labelled token, and where the reference model's loss is not positive: to a
// model that knows every token for certain nothing can be compared. Higher: less likely a member.
#pragma once

#include <optional>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

std::optional<double> ratio_score(const trace::Trace& trace, const trace::Trace& reference);
Attack ratio_attack();

}  // namespace palimpsest::attack
