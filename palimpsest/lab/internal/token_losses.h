// Sums and even weights over the labelled tokens of a batch: what the losses of training and
// unlearning are made of.
#pragma once

#include <numeric>
#include <vector>

#include "palimpsest/engine/internal/trainer.h"
#include "palimpsest/lab/internal/batches.h"

namespace palimpsest::lab {

inline double total_of(const engine::TokenValues& values) {
  double total = 0;
  for (const std::vector<double>& sequence : values) {
    total = std::accumulate(sequence.begin(), sequence.end(), total);
  }
  return total;
}

// The same weight for every labelled token of the batch.
inline engine::TokenValues even_weights(const Batch& batch, double weight) {
  engine::TokenValues weights;
  for (const int64_t length : batch.lengths) {
    weights.emplace_back(static_cast<size_t>(length), weight);
  }
  return weights;
}

}  // namespace palimpsest::lab
