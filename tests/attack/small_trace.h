// Traces small enough to compute every attack's score by hand.
#pragma once

#include "palimpsest/trace/trace.h"

namespace palimpsest::attack {

inline const trace::Trace kSmallTrace{
    .index = "0",
    .text = "abc",
    .num_labels = 6,
    .logprob = {{-1, -5, -2, -4, -3, -100}},  // the last one predicts the end
    .mean = {{-2, -2, -2, -2, -2, -2}},
    .var = {{1, 4, 0.25, 4, 0, 1}}};
inline const trace::Trace kNoLabels{.index = "1", .text = "", .num_labels = 0};

}  // namespace palimpsest::attack
