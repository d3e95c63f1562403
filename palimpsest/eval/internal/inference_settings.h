// Checks the settings of an evaluator for statistical inference.
#pragma once

#include "palimpsest/eval/evaluation_spec.h"

namespace palimpsest::eval {

// Throws Error if the margin is out of range, or if more than one way of grouping examples is set.
void require_valid(const InferenceSettings& settings);

}  // namespace palimpsest::eval
