// score() with gradient norms. For every example and every parameter tensor it computes the p-norm
// of the gradient of the example's loss, for many examples in one backward pass. The mean of these
// norms over the tensors is a score. The norms of single tensors are for tests, which compare them
// with those of other programs.
//
// Gradients of weights are not kept: the backward pass only follows activations. For p = 2, the
// norm of a weight's gradient is computed from Gram matrices of the layer's inputs and of the
// gradients of its outputs. Otherwise one gradient at a time is formed, reduced to its norm and
// dropped.
//
// The loss of an example is minus the mean of its log-probabilities without the last one. Examples
// with fewer than two log-probabilities get no norms.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

// norms[order][parameter], in the order of the options and of parameters(). Empty if there is no
// loss.
using TensorNorms = std::vector<std::vector<double>>;

struct GradientScores {
  std::vector<model::SequenceScores> scores;
  std::vector<TensorNorms> tensor_norms;  // one per sequence
};

// At most `max_rows` tokens run together. A longer sequence runs alone.
GradientScores score_with_gradients(Decoder& decoder, WorkerPool& pool,
                                    std::span<const model::Sequence> sequences,
                                    const model::ScoreOptions& options, int64_t max_rows);

// The memory that one token of a batch takes until the backward pass is done.
int64_t gradient_bytes_per_token(const model::Architecture& architecture);

}  // namespace palimpsest::engine
