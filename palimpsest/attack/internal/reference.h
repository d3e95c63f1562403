// Reference (Carlini et al. 2021, "Extracting Training Data from Large Language Models"): the loss
// set against that of a model which did not see the example, so that texts which are easy for
// everybody do not pass for members.
//
//   score = avg_loss - avg_loss of the reference model on the same tokens
//
// Undefined without any labelled token. Higher: less likely a member.
#pragma once

#include <optional>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

std::optional<double> reference_score(const trace::Trace& trace, const trace::Trace& reference);
Attack reference_attack();

}  // namespace palimpsest::attack
