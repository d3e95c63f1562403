// Reference (Carlini et al. 2021, "Extracting Training Data from Large Language Models"): the loss
// compared with that of a model that did not see the example. So texts that are easy for any model
// are not mistaken for members.
//
//   score = avg_loss - avg_loss of the reference model on the same tokens
//
// The score is undefined if there is no labelled token. A higher score means less likely a member.
#pragma once

#include <optional>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

std::optional<double> reference_score(const trace::Trace& trace, const trace::Trace& reference);
Attack reference_attack();

}  // namespace palimpsest::attack
