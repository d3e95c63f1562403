// score() with gradient norms: for every example and every parameter tensor the p-norm of the
// gradient of that example's loss, many examples in one backward pass. Their mean over the tensors
// is a score; the norms tensor by tensor are for tests, which compare them with other programs'.
// No weight has a gradient of
// its own: the pass only follows activations. For p = 2 a weight's norm comes from Gram matrices of
// what went into and what came back to its layer; otherwise one gradient at a time is formed,
// reduced and dropped.
//
// The loss of an example is minus the mean of its log-probabilities without the last one; examples
// with fewer than two get no norms.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

// [order of the options][parameter of parameters()]; empty where no loss is left.
using TensorNorms = std::vector<std::vector<double>>;

struct GradientScores {
  std::vector<model::SequenceScores> scores;
  std::vector<TensorNorms> tensor_norms;  // one per sequence
};

// At most `max_rows` tokens run together; longer sequences alone.
GradientScores score_with_gradients(Decoder& decoder, WorkerPool& pool,
                                    std::span<const model::Sequence> sequences,
                                    const model::ScoreOptions& options, int64_t max_rows);

// Bytes that one token of the batch takes until the backward pass is done.
int64_t gradient_bytes_per_token(const model::Architecture& architecture);

}  // namespace palimpsest::engine
