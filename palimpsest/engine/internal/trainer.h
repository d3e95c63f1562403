// Gradients of losses with respect to all of a model's parameters, by the same backward pass that
// gives gradient norms. Works for every family that the decoder runs; the result does not depend on
// the number of threads.
//
//   Trainer trainer(architecture, source.all(), pool);
//   trainer.accumulate(sequences, {.weights = …});     // as often as a step has parts
//   …an optimizer reads trainer.gradients() and changes trainer.weights()…
//   trainer.clear_gradients();
//
// Sequences run in micro-batches of bounded size. Of most layers only the input is kept until the
// backward pass, which runs them again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/engine/internal/gradient_buffers.h"
#include "palimpsest/engine/internal/training_head.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

struct ExampleBatch;

// Numbers per labelled position t >= 1 of each sequence, in order.
using TokenValues = std::vector<std::vector<double>>;

// A loss: a weighted sum over labelled tokens, of -log p(label) or of a divergence.
struct LossTerm {
  // Weights by sequence and labelled token.
  TokenValues weights = {};
  // If set, gives a sequence's weights from its log-probabilities, which cost one more pass of the
  // head; `weights` is not looked at.
  std::function<std::vector<double>(size_t sequence, std::span<const double> log_probabilities)>
      weigh = {};
  // If set: KL(q ‖ p) from this model's distribution q at the same place instead of -log p.
  Decoder* other = nullptr;
};

struct TrainerLimits {
  int64_t max_rows = 4096;                 // tokens of a micro-batch; longer sequences run alone
  int64_t tape_bytes = int64_t{1} << 29U;  // for layers that need not run again
};

class Trainer {
 public:
  // `weights` are float32 and have memory of their own; the references must outlive the trainer.
  Trainer(const model::Architecture& architecture, ModelWeights weights, WorkerPool& pool,
          const TrainerLimits& limits = {});
  ~Trainer();

  // Adds the gradient of the loss. Returns every token's -log p or divergence, without its weight.
  TokenValues accumulate(std::span<const model::Sequence> sequences, const LossTerm& term);

  // log p of the labels, no gradient.
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
