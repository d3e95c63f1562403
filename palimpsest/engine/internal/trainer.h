// Computes gradients of losses with respect to all parameters of a model, with the same backward
// pass that computes gradient norms. It works for every family that the decoder runs. The result
// does not depend on the number of threads.
//
//   Trainer trainer(architecture, source.all(), pool);
//   trainer.accumulate(sequences, {.weights = …});     // as often as a step has parts
//   …an optimizer reads trainer.gradients() and changes trainer.weights()…
//   trainer.clear_gradients();
//
// Sequences run in micro-batches of limited size. For most layers, only the input is kept until the
// backward pass, which runs these layers again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/engine/internal/gradient_buffers.h"
#include "palimpsest/engine/internal/training_head.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

struct ExampleBatch;

// One number per labelled position t >= 1 of each sequence, in order.
using TokenValues = std::vector<std::vector<double>>;

// A loss: a weighted sum over the labelled tokens of -log p(label) or of a divergence.
struct LossTerm {
  // The weights, by sequence and labelled token.
  TokenValues weights = {};
  // If set, computes the weights of a sequence from its log-probabilities, and `weights` is
  // ignored. This takes one more pass of the head.
  std::function<std::vector<double>(size_t sequence, std::span<const double> log_probabilities)>
      weigh = {};
  // If set, the loss is KL(q ‖ p) instead of -log p, where q is this model's distribution at the
  // same position.
  Decoder* other = nullptr;
};

struct TrainerLimits {
  int64_t max_rows = 4096;                 // tokens in a micro-batch; a longer sequence runs alone
  int64_t tape_bytes = int64_t{1} << 29U;  // memory for layers that need not run again
};

class Trainer {
 public:
  // `weights` must be float32 and must not be shared with others. The references must outlive the
  // trainer.
  Trainer(const model::Architecture& architecture, ModelWeights weights, WorkerPool& pool,
          const TrainerLimits& limits = {});
  ~Trainer();

  // Adds the gradient of the loss. Returns -log p or the divergence of every token, without its
  // weight.
  TokenValues accumulate(std::span<const model::Sequence> sequences, const LossTerm& term);

  // The log-probabilities of the labels. Computes no gradient.
  TokenValues log_probabilities(std::span<const model::Sequence> sequences);

  const model::Architecture& architecture() const { return architecture_; }
  const ModelWeights& weights() const { return weights_; }
  const ModelWeights& gradients() const { return buffers_.sums(); }
  void clear_gradients() { buffers_.clear(pool_); }
  WorkerPool& pool() { return pool_; }

 private:
  struct LayerRecord;
  void run_batch(const ExampleBatch& batch, const LossTerm& term, TokenValues& values);
  std::vector<float> row_weights(const ExampleBatch& batch, const LossTerm& term,
                                 const Matrix& normed);
  Matrix other_rows(const ExampleBatch& batch, const LossTerm& term);
  void add_embedding_gradient(const ExampleBatch& batch, const Matrix& dh);

  const model::Architecture& architecture_;
  WorkerPool& pool_;
  TrainerLimits limits_;
  ModelWeights weights_;
  std::unique_ptr<Ops> ops_;
  Decoder decoder_;
  GradientBuffers buffers_;
  kernels::Matmul matmul_;
  TrainingHead head_;
};

}  // namespace palimpsest::engine
