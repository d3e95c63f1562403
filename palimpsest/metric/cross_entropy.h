// Cross-entropy without averaging: one loss per row of logits. It is for programs that weight or
// group the losses themselves; the metrics of this module do not use it.
//
//   targets = {1, 0}, logits = {{1.2, 0.4}, {2.3, 0.1}}:            {1.1711007, 0.1050833}
//   targets = {{0.5, 0.5}}, logits = {{1.2, 0.4}}, dense targets:   {0.7711007}
#pragma once

#include "palimpsest/base/array.h"
#include "palimpsest/metric/tensor_view.h"

namespace palimpsest::metric {

// Computes -Σ_v t_v log softmax(logits)_v for each row of `logits` [..., V]. Sparse targets
// [...] are numbers of classes: t_v is 1 for that class and 0 for all others. Dense targets
// [..., V] are the t_v themselves.
// Throws Error if the shapes do not match, if a class is outside [0, V), or if a number is NaN.
Array unreduced_cross_entropy_loss(const TensorView& targets, const TensorView& logits,
                                   bool is_sparse_targets = true);

}  // namespace palimpsest::metric
