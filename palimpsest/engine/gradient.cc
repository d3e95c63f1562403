#include "palimpsest/engine/gradient.h"

#include <algorithm>

#include "palimpsest/engine/head_gradient.h"
#include "palimpsest/engine/layer_gradient.h"
#include "palimpsest/engine/norm_sink.h"
#include "palimpsest/engine/packing.h"
#include "palimpsest/engine/scorer.h"

namespace palimpsest::engine {
namespace {

class GradientScorer {
 public:
  GradientScorer(Decoder& decoder, WorkerPool& pool, std::span<const Sequence> sequences,
                 const ScoreOptions& options, int64_t max_rows)
      : decoder_(decoder),
        pool_(pool),
        head_(decoder),
        sequences_(sequences),
        options_(options),
        packing_(
            pack(sequences, {.max_rows = max_rows, .cut_long = false, .share_beginnings = false})),
        scores_(empty_scores(sequences)) {}

  std::vector<SequenceScores> run() {
    for (const std::vector<int64_t>& nodes : packing_.batches) run_batch(nodes);
    return std::move(scores_);
  }

 private:
  void run_batch(const std::vector<int64_t>& nodes) {
    const Architecture& a = decoder_.architecture();
    const Batch batch = make_batch(nodes);
    const RotaryTables rotaries(a, batch);
    Matrix hidden = decoder_.embed(batch);
    std::vector<LayerTape> tapes(static_cast<size_t>(a.num_layers));
    for (int64_t layer = 0; layer < a.num_layers; ++layer) {
      decoder_.run_layer(layer, batch, rotaries, hidden, &tapes[static_cast<size_t>(layer)]);
    }

    GradientNorms norms(a, options_.gradient_norms, static_cast<int64_t>(nodes.size()));
    std::vector<int64_t> rows;
    const LabelledRows labelled = labelled_rows(nodes, hidden, rows);
    HeadGradient head(decoder_, head_, pool_, labelled, norms);
    std::vector<std::span<const int64_t>> ids;
    for (const int64_t node : nodes) ids.push_back(tokens_of(packing_.nodes[node]));
    head.run(ids);
    store(nodes, head);

    std::vector<ExampleRows> examples;
    for (size_t e = 0; e < nodes.size(); ++e) {
      const Segment& segment = batch.segments[e];
      examples.push_back({static_cast<int64_t>(e), segment.row, segment.row + segment.count});
    }
    Matrix dh = final_norm_backward(head.normed_gradient(), hidden, rows, labelled, norms);
    hidden = Matrix();
    NormSink sink(examples, norms, pool_);
    LayerGradient layers(a, batch, rotaries, sink, decoder_.ops(), pool_);
    for (int64_t layer = a.num_layers - 1; layer >= 0; --layer) {
      LayerTape& tape = tapes[static_cast<size_t>(layer)];
      layers.run(layer, decoder_.layer(layer), tape, dh);
      tape = LayerTape();
    }
    embedding_norms(batch, examples, dh, head, norms);
    for (size_t e = 0; e < nodes.size(); ++e) {
      scores_[packing_.nodes[nodes[e]].sequence].gradient_norms =
          norms.norms(static_cast<int64_t>(e));
    }
  }

  // Nothing is shared or cut: a node begins where its sequence does.
  std::span<const int64_t> tokens_of(const PackedNode& node) const {
    return std::span(sequences_[static_cast<size_t>(node.sequence)].ids)
        .first(static_cast<size_t>(node.count()));
  }

  Batch make_batch(const std::vector<int64_t>& nodes) const {
    Batch batch;
    for (const int64_t number : nodes) {
      const PackedNode& node = packing_.nodes[number];
      const std::span<const int64_t> ids = tokens_of(node);
      batch.segments.push_back({.row = batch.rows(),
                                .count = node.count(),
                                .hidden = hidden_flags(ids, options_.masked_token)});
      append_tokens(node, ids, batch);
    }
    return batch;
  }

  LabelledRows labelled_rows(const std::vector<int64_t>& nodes, const Matrix& hidden,
                             std::vector<int64_t>& rows) const {
    LabelledRows labelled;
    int64_t first = 0;
    for (size_t e = 0; e < nodes.size(); ++e) {
      const PackedNode& node = packing_.nodes[nodes[e]];
      const auto begin = static_cast<int64_t>(rows.size());
      for (size_t i = 0; i < node.labels.size(); ++i) {
        rows.push_back(first + node.labels[i].row);
        labelled.labels.push_back(node.labels[i].label);
        const bool last = i + 1 == node.labels.size();
        labelled.weights.push_back(last ? 0 : 1 / static_cast<float>(node.labels.size() - 1));
      }
      labelled.examples.push_back(
          {static_cast<int64_t>(e), begin, static_cast<int64_t>(rows.size())});
      first += node.count();
    }
    labelled.normed = decoder_.final_norm(hidden, rows);
    return labelled;
  }

  void store(const std::vector<int64_t>& nodes, const HeadGradient& head) {
    size_t row = 0;
    for (const int64_t number : nodes) {
      for (const LabelledRow& labelled : packing_.nodes[number].labels) {
        store_score(head.states()[row++], labelled.places, scores_);
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
    const Architecture& a = decoder_.architecture();
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
    head.take_norms(embedded);
  }

  Decoder& decoder_;
  WorkerPool& pool_;
  Head head_;
  std::span<const Sequence> sequences_;
  const ScoreOptions& options_;
  Packing packing_;
  std::vector<SequenceScores> scores_;
};

}  // namespace

std::vector<SequenceScores> score_with_gradients(Decoder& decoder, WorkerPool& pool,
                                                 std::span<const Sequence> sequences,
                                                 const ScoreOptions& options, int64_t max_rows) {
  std::vector<SequenceScores> scores = empty_scores(sequences);
  std::vector<size_t> places[2];  // of sequences without and with a gradient
  std::vector<Sequence> parts[2];
  for (size_t i = 0; i < sequences.size(); ++i) {
    const size_t part = scores[i].logprob.size() < 2 ? 0 : 1;
    places[part].push_back(i);
    parts[part].push_back(sequences[i]);
  }
  const ScorerOptions limits{.max_rows = max_rows, .max_held_rows = max_rows};
  std::vector<SequenceScores> found[2] = {
      score_sequences(decoder, parts[0], {.masked_token = options.masked_token}, limits),
      GradientScorer(decoder, pool, parts[1], options, max_rows).run()};
  for (const size_t part : {0, 1}) {
    for (size_t i = 0; i < places[part].size(); ++i) {
      scores[places[part][i]] = std::move(found[part][i]);
    }
  }
  return scores;
}

int64_t gradient_bytes_per_token(const Architecture& a) {
  const int64_t qkv = (a.num_heads + 2 * a.num_kv_heads) * a.head_dim;
  const int64_t kept = 3 * a.hidden_size + qkv * (a.layer.query_norm ? 2 : 1) +
                       a.num_heads * (a.head_dim + 1) + a.layer.mlp_in.outputs() +
                       (a.layer.attention_post_norm ? a.hidden_size : 0);
  return static_cast<int64_t>(sizeof(float)) * kept * a.num_layers;
}

}  // namespace palimpsest::engine
