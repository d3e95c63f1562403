// Lists of a model's weights, in two forms. Blocks are for code that treats all numbers alike, such
// as an optimizer. Parameters have the names and shapes under which checkpoints store them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/engine/internal/weights.h"

namespace palimpsest::engine {

struct WeightBlock {
  Matrix matrix;
  bool is_matrix = true;  // false: a vector, which is a bias or the weight of a norm
};

// Every matrix and vector once, even if it is tied. The order is fixed: embedding, positions,
// layers, final norm, head.
std::vector<WeightBlock> weight_blocks(const ModelWeights& weights);

// Float32 zeros in the same shapes. Matrices that are tied in `weights` are tied here too.
ModelWeights zeros_like(const ModelWeights& weights);

// A copy that shares no memory with `weights`, which must be float32.
ModelWeights deep_copy(const ModelWeights& weights);

// Random weights for training a new model. Matrices are normal with standard deviation 0.02; those
// that write to the residual stream are also divided by √(2 · layers). Norms are the identity, and
// biases are 0. Block b is drawn from random.split(b).
ModelWeights initial_weights(const model::Architecture& architecture, Random random);

// Calls visit(parameter, numbers) for every parameter, in the order of parameters(architecture).
// The numbers are row-major, as in checkpoints, and valid only during the call. The weights must be
// float32.
void for_each_parameter(
    const model::Architecture& architecture, const ModelWeights& weights,
    const std::function<void(const model::Parameter&, std::span<const float>)>& visit);

}  // namespace palimpsest::engine
