#include "palimpsest/engine/internal/trainer.h"

#include <algorithm>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/engine/internal/example_batch.h"
#include "palimpsest/engine/internal/gradient.h"
#include "palimpsest/engine/internal/head.h"
#include "palimpsest/engine/internal/layer_gradient.h"
#include "palimpsest/engine/internal/scorer.h"
#include "palimpsest/kernels/internal/rows.h"

namespace palimpsest::engine {

// What the backward pass finds of a layer: its tape, or the input to run it again with.
struct Trainer::LayerRecord {
  LayerTape tape;
  Matrix input;
};

Trainer::Trainer(const model::Architecture& architecture, ModelWeights weights, WorkerPool& pool,
                 const TrainerLimits& limits)
    : architecture_(architecture),
      pool_(pool),
      limits_(limits),
      weights_(std::move(weights)),
      ops_(make_cpu_ops(architecture, pool)),
      decoder_(architecture, weights_, *ops_),
      buffers_(architecture, weights_),
      matmul_(pool),
      head_(decoder_, buffers_, matmul_, pool) {}

Trainer::~Trainer() = default;

TokenValues Trainer::log_probabilities(std::span<const model::Sequence> sequences) {
  TokenValues values;
  const ScorerOptions limits{.max_rows = limits_.max_rows, .max_held_rows = limits_.max_rows};
  for (model::SequenceScores& scores : score_sequences(decoder_, sequences, {}, limits)) {
    values.push_back(std::move(scores.logprob));
  }
  return values;
}

TokenValues Trainer::accumulate(std::span<const model::Sequence> sequences, const LossTerm& term) {
  TokenValues values(sequences.size());
  const Packing packing = pack_examples(sequences, limits_.max_rows);
  for (const std::vector<int64_t>& nodes : packing.batches) {
    run_batch(make_example_batch(sequences, packing, nodes, std::nullopt), term, values);
  }
  return values;
}

void Trainer::run_batch(const ExampleBatch& batch, const LossTerm& term, TokenValues& values) {
  const RotaryTables rotaries(architecture_, batch.batch);
  const int64_t layers = architecture_.num_layers;
  const int64_t tape_bytes =
      gradient_bytes_per_token(architecture_) * batch.batch.rows() / std::max<int64_t>(layers, 1);
  const int64_t taped = limits_.tape_bytes / std::max<int64_t>(tape_bytes, 1);
  std::vector<LayerRecord> records(static_cast<size_t>(layers));
  Matrix hidden = decoder_.embed(batch.batch);
  for (int64_t layer = 0; layer < layers; ++layer) {
    LayerRecord& record = records[static_cast<size_t>(layer)];
    // The last layers are the first to be wanted again.
    const bool keep = layer >= layers - taped;
    if (!keep) record.input = host_copy(hidden);
    decoder_.run_layer(layer, batch.batch, rotaries, hidden, keep ? &record.tape : nullptr);
  }

  const Matrix normed = decoder_.final_norm(hidden, batch.label_rows);
  const std::vector<float> weights = row_weights(batch, term, normed);
  std::vector<double> losses;
  const Matrix dnormed = head_.run({.normed = normed,
                                    .labels = batch.labels,
                                    .weights = weights,
                                    .other_normed = other_rows(batch, term),
                                    .other = term.other},
                                   losses);
  for (size_t e = 0; e < batch.examples.size(); ++e) {
    const ExampleRows& rows = batch.label_examples[e];
    values[static_cast<size_t>(batch.sequences[e])].assign(losses.begin() + rows.begin,
                                                           losses.begin() + rows.end);
  }

  Matrix dh = host_zeros(hidden.rows(), hidden.columns());
  GradientSums label_sums(batch.label_examples, buffers_, matmul_, pool_);
  norm_backward({.spec = architecture_.final_norm,
                 .weights = decoder_.final_norm_weights(),
                 .x = hidden,
                 .dy = dnormed,
                 .dx = dh,
                 .rows = batch.label_rows},
                label_sums, pool_);
  hidden = Matrix();
  GradientSums sums(batch.examples, buffers_, matmul_, pool_);
  LayerGradient gradient(architecture_, batch.batch, rotaries, sums, *ops_, pool_);
  for (int64_t layer = layers - 1; layer >= 0; --layer) {
    LayerRecord& record = records[static_cast<size_t>(layer)];
    if (record.input.defined()) {
      decoder_.run_layer(layer, batch.batch, rotaries, record.input, &record.tape);
    }
    gradient.run(layer, decoder_.layer(layer), record.tape, dh);
    record = LayerRecord();
  }
  add_embedding_gradient(batch, dh);
}

std::vector<float> Trainer::row_weights(const ExampleBatch& batch, const LossTerm& term,
                                        const Matrix& normed) {
  std::vector<double> log_probabilities(batch.labels.size());
  if (term.weigh) {
    const auto states = Head(decoder_).reduce(normed, batch.labels);
    std::ranges::transform(states, log_probabilities.begin(),
                           [](const auto& state) { return kernels::score_of(state).logprob; });
  }
  std::vector<float> weights;
  for (size_t e = 0; e < batch.examples.size(); ++e) {
    const ExampleRows& rows = batch.label_examples[e];
    const auto sequence = static_cast<size_t>(batch.sequences[e]);
    const std::span<const double> own =
        std::span(log_probabilities)
            .subspan(static_cast<size_t>(rows.begin), static_cast<size_t>(rows.count()));
    const std::vector<double> given =
        term.weigh ? term.weigh(sequence, own) : term.weights[sequence];
    PALIMPSEST_CHECK(static_cast<int64_t>(given.size()) == rows.count());
    weights.insert(weights.end(), given.begin(), given.end());
  }
  return weights;
}

Matrix Trainer::other_rows(const ExampleBatch& batch, const LossTerm& term) {
  if (term.other == nullptr) return {};
  std::vector<Matrix> hidden = {term.other->embed(batch.batch)};
  term.other->run({&batch.batch, 1}, hidden);
  return term.other->final_norm(hidden.front(), batch.label_rows);
}

void Trainer::add_embedding_gradient(const ExampleBatch& batch, const Matrix& dh) {
  const ModelWeights& sums = buffers_.sums();
  if (sums.positions.defined()) {
    for (int64_t row = 0; row < dh.rows(); ++row) {
      const int64_t position = batch.batch.positions[static_cast<size_t>(row)];
      kernels::add(sums.positions.row(position), dh.row(row), dh.columns());
    }
  }
  if (architecture_.embedding_scale != 1) ops_->scale(dh, architecture_.embedding_scale);
  for (int64_t row = 0; row < dh.rows(); ++row) {
    const int64_t id = batch.batch.ids[static_cast<size_t>(row)];
    if (id == architecture_.padding_index) continue;
    kernels::add(sums.embedding.row(id), dh.row(row), dh.columns());
  }
}

}  // namespace palimpsest::engine
