// Ratio (Carlini et al. 2021, "Extracting Training Data from Large Language Models"). It works like
// Reference, but compares losses by their ratio: halving a loss of 4 counts as much as halving a
// loss of 1.
//
//   score = avg_loss / avg_loss of the reference model on the same tokens
//
// The score is undefined if there is no labelled token, or if the reference model's loss is not
// positive. A higher score means less likely a member.
#pragma once

#include <optional>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

std::optional<double> ratio_score(const trace::Trace& trace, const trace::Trace& reference);
Attack ratio_attack();

}  // namespace palimpsest::attack
