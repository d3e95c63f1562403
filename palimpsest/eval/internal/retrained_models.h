// Compares the model with several retrained models. Training is random, so models that never saw
// the forget set also differ from each other. The distance of the model from the retrained models
// is compared with their distances from each other. D(x, y) is the distance between two models by
// one metric: the difference between the AUCs of an attack, |privleak| of one model against the
// other (the smaller of the two directions), or the Kolmogorov-Smirnov distance between their truth
// ratios. With n retrained models:
//
//   d(x) = mean over the other n models y of D(x, y)
//   p    = #{x among all n + 1: d(x) >= d(model)} / (n + 1)
//
// If the model were one more retrained model, all n + 1 models would be exchangeable. So p is
// exact, and it is at least 1/(n + 1). This test needs at least two retrained models.
#pragma once

#include <functional>
#include <string>

#include "palimpsest/eval/run_record.h"

namespace palimpsest::eval {

// `retrained` is the number of retrained models, at least 2. In `distance(x, y)`, 0 is the
// evaluated model, and 1 to `retrained` are the retrained models.
RetrainedComparison compare_with_retrained(const std::string& metric, size_t retrained,
                                           const std::function<double(size_t, size_t)>& distance);

}  // namespace palimpsest::eval
