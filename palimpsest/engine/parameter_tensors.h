// A model's weights as lists: as blocks, for code that treats all numbers in the same way, and as
// parameters with the names and shapes under which checkpoints store them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/engine/weights.h"

namespace palimpsest::engine {

struct WeightBlock {
  Matrix matrix;
  bool is_matrix = true;  // false: a vector, which is a bias or the weight of a norm
};

// Every matrix and vector once, including tied ones, in a fixed order: embedding, positions,
// layers, final norm, head.
std::vector<WeightBlock> weight_blocks(const ModelWeights& weights);

// The same shapes in float32, all zero; tied where `weights` are.
ModelWeights zeros_like(const ModelWeights& weights);

// A copy with memory of its own. `weights` must be float32.
ModelWeights copy_of(const ModelWeights& weights);

// Random weights from which to train a new model. Matrices are normal with standard deviation 0.02;
// those that write to the residual stream are divided by √(2 · layers). Norms are the identity, and
// biases are 0. Block b uses the b-th generator of `random`.
ModelWeights initial_weights(const model::Architecture& architecture, Random random);

// Calls visit(parameter, numbers) for every parameter of parameters(architecture), in its order.
// The numbers are row-major, as stored, and valid only during the call. The weights must be
// float32.
void for_each_parameter(
    const model::Architecture& architecture, const ModelWeights& weights,
    const std::function<void(const model::Parameter&, std::span<const float>)>& visit);

}  // namespace palimpsest::engine
