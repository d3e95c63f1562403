#include "palimpsest/engine/internal/gradient.h"

#include <numeric>

#include "palimpsest/base/error.h"
#include "palimpsest/engine/internal/example_batch.h"
#include "palimpsest/engine/internal/head_gradient.h"
#include "palimpsest/engine/internal/layer_gradient.h"
#include "palimpsest/engine/internal/norm_sink.h"
#include "palimpsest/engine/internal/scorer.h"

namespace palimpsest::engine {
namespace {

std::vector<double> means_of(const TensorNorms& norms) {
  std::vector<double> means;
  for (const std::vector<double>& row : norms) {
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    means.push_back(sum / static_cast<double>(row.size()));
  }
  return means;
}

class GradientScorer {
 public:
  GradientScorer(Decoder& decoder, WorkerPool& pool, std::span<const model::Sequence> sequences,
                 const model::ScoreOptions& options, int64_t max_rows)
      : decoder_(decoder),
        pool_(pool),
        head_(decoder),
        sequences_(sequences),
        options_(options),
        packing_(pack_examples(sequences, max_rows)),
        scores_(empty_scores(sequences)),
        tensor_norms_(sequences.size()) {}

  GradientScores run() {
    for (const std::vector<int64_t>& nodes : packing_.batches) {
      if (options_.stop.stop_requested()) throw Stopped();
      run_batch(nodes);
    }
    return {.scores = std::move(scores_), .tensor_norms = std::move(tensor_norms_)};
  }

 private:
  void run_batch(const std::vector<int64_t>& nodes) {
    const model::Architecture& a = decoder_.architecture();
    const ExampleBatch made =
        make_example_batch(sequences_, packing_, nodes, options_.masked_token);
    const Batch& batch = made.batch;
    const RotaryTables rotaries(a, batch);
    Matrix hidden = decoder_.embed(batch);
    std::vector<LayerTape> tapes(static_cast<size_t>(a.num_layers));
    for (int64_t layer = 0; layer < a.num_layers; ++layer) {
      decoder_.run_layer(layer, batch, rotaries, hidden, &tapes[static_cast<size_t>(layer)]);
    }

    GradientNorms norms(a, options_.gradient_norms, static_cast<int64_t>(nodes.size()));
    const LabelledRows labelled = labelled_rows(made, hidden);
    HeadGradient head(decoder_, head_, pool_, labelled, norms);
    std::vector<std::span<const int64_t>> ids;
    for (const ExampleRows& rows : made.examples) {
      ids.push_back(std::span(batch.ids).subspan(static_cast<size_t>(rows.begin),
                                                 static_cast<size_t>(rows.count())));
    }
    head.run(ids);
    store(nodes, head);

    Matrix dh =
        final_norm_backward(head.normed_gradient(), hidden, made.label_rows, labelled, norms);
    hidden = Matrix();
    NormSink sink(made.examples, norms, pool_);
    LayerGradient layers(a, batch, rotaries, sink, decoder_.ops(), pool_);
    for (int64_t layer = a.num_layers - 1; layer >= 0; --layer) {
      LayerTape& tape = tapes[static_cast<size_t>(layer)];
      layers.run(layer, decoder_.layer(layer), tape, dh);
      tape = LayerTape();
    }
    embedding_norms(batch, made.examples, dh, head, norms);
    for (size_t e = 0; e < nodes.size(); ++e) {
      const auto sequence = packing_.nodes[nodes[e]].sequence;
      tensor_norms_[sequence] = norms.norms(static_cast<int64_t>(e));
      scores_[sequence].gradient_norms = means_of(tensor_norms_[sequence]);
    }
  }

  LabelledRows labelled_rows(const ExampleBatch& batch, const Matrix& hidden) const {
    LabelledRows labelled{.normed = decoder_.final_norm(hidden, batch.label_rows),
                          .labels = batch.labels,
                          .examples = batch.label_examples};
    for (const ExampleRows& rows : batch.label_examples) {
      // The last token predicts the end and counts nothing.
      labelled.weights.insert(labelled.weights.end(), static_cast<size_t>(rows.count() - 1),
                              1 / static_cast<float>(rows.count() - 1));
      labelled.weights.push_back(0);
    }
    return labelled;
  }

  void store(const std::vector<int64_t>& nodes, const HeadGradient& head) {
    size_t row = 0;
    for (const int64_t number : nodes) {
      for (const LabelledRow& labelled : packing_.nodes[number].labels) {
        store_score(head.states()[row++], labelled.slots, scores_);
      }
    }
  }

  Matrix final_norm_backward(const Matrix& dnormed, const Matrix& hidden,
                             const std::vector<int64_t>& rows, const LabelledRows& labelled,
                             GradientNorms& norms) {
    Matrix dh = host_zeros(hidden.rows(), hidden.columns());
    NormSink sink(labelled.examples, norms, pool_);
    norm_backward({.spec = decoder_.architecture().final_norm,
                   .weights = decoder_.final_norm_weights(),
                   .x = hidden,
                   .dy = dnormed,
                   .dx = dh,
                   .rows = rows},
                  sink, pool_);
    return dh;
  }

  void embedding_norms(const Batch& batch, const std::vector<ExampleRows>& examples, Matrix& dh,
                       HeadGradient& head, GradientNorms& norms) {
    const model::Architecture& a = decoder_.architecture();
    const int64_t width = a.hidden_size;
    if (a.positions) {
      // No position comes twice in an example: its rows are the gradient's.
      for (const ExampleRows& example : examples) {
        norms.add(
            example.example, norms.parameter(*a.positions),
            {dh.data() + example.begin * width, static_cast<size_t>(example.count() * width)});
      }
    }
    if (a.embedding_scale != 1) {
      kernels::scale(dh.data(), static_cast<float>(a.embedding_scale), dh.size());
    }
    std::vector<EmbeddedRows> embedded;
    for (const ExampleRows& example : examples) {
      const auto first = batch.ids.begin() + example.begin;
      embedded.push_back(
          {.ids = {first, first + example.count()}, .gradient = dh.data() + example.begin * width});
    }
    head.add_norms(embedded);
  }

  Decoder& decoder_;
  WorkerPool& pool_;
  Head head_;
  std::span<const model::Sequence> sequences_;
  const model::ScoreOptions& options_;
  Packing packing_;
  std::vector<model::SequenceScores> scores_;
  std::vector<TensorNorms> tensor_norms_;
};

}  // namespace

GradientScores score_with_gradients(Decoder& decoder, WorkerPool& pool,
                                    std::span<const model::Sequence> sequences,
                                    const model::ScoreOptions& options, int64_t max_rows) {
  GradientScores result{.scores = empty_scores(sequences),
                        .tensor_norms = std::vector<TensorNorms>(sequences.size())};
  std::vector<size_t> indices[2];  // of sequences without and with a gradient
  std::vector<model::Sequence> parts[2];
  for (size_t i = 0; i < sequences.size(); ++i) {
    const size_t part = result.scores[i].logprob.size() < 2 ? 0 : 1;
    indices[part].push_back(i);
    parts[part].push_back(sequences[i]);
  }
  const ScorerOptions limits{.max_rows = max_rows, .max_held_rows = max_rows};
  std::vector<model::SequenceScores> plain = score_sequences(
      decoder, parts[0], {.masked_token = options.masked_token, .stop = options.stop}, limits);
  for (size_t i = 0; i < plain.size(); ++i) result.scores[indices[0][i]] = std::move(plain[i]);
  GradientScores found = GradientScorer(decoder, pool, parts[1], options, max_rows).run();
  for (size_t i = 0; i < found.scores.size(); ++i) {
    result.scores[indices[1][i]] = std::move(found.scores[i]);
    result.tensor_norms[indices[1][i]] = std::move(found.tensor_norms[i]);
  }
  return result;
}

int64_t gradient_bytes_per_token(const model::Architecture& a) {
  const int64_t qkv = (a.num_heads + 2 * a.num_kv_heads) * a.head_dim;
  const int64_t kept = 3 * a.hidden_size + qkv * (a.layer.query_norm ? 2 : 1) +
                       a.num_heads * (a.head_dim + 1) + a.layer.mlp_in.outputs() +
                       (a.layer.attention_post_norm ? a.hidden_size : 0);
  return static_cast<int64_t>(sizeof(float)) * kept * a.num_layers;
}

}  // namespace palimpsest::engine
