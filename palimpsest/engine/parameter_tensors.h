// A model's weights as lists: of blocks, for whoever changes all numbers alike, and of parameters
// by the names and in the shapes in which checkpoints store them.
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
  bool is_matrix = true;  // else a vector: a bias, or the weight of a norm
};

// Every matrix and vector once, tied ones too, in a fixed order: embedding, positions, layers,
// final norm, head.
std::vector<WeightBlock> weight_blocks(const ModelWeights& weights);

// The same shapes in float32, all zero; tied where `weights` are.
ModelWeights zeros_like(const ModelWeights& weights);

// A copy with memory of its own; `weights` are float32.
ModelWeights copy_of(const ModelWeights& weights);

// Weights to train from nothing: matrices normal with standard deviation 0.02 (those that write to
// the residual stream divided by √(2 layers)), norms the identity, biases 0. Block b draws from the
// b-th generator of `random`.
ModelWeights initial_weights(const Architecture& architecture, Random random);

// Calls visit(parameter, numbers) for every parameter of parameters(architecture), in its order;
// the numbers, row-major as stored, are valid during the call. The weights are float32.
void for_each_parameter(const Architecture& architecture, const ModelWeights& weights,
                        const std::function<void(const Parameter&, std::span<const float>)>& visit);

}  // namespace palimpsest::engine
