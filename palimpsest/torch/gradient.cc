#include "palimpsest/torch/gradient.h"

#include <ATen/ops/zeros_like.h>

#include <algorithm>

#include "palimpsest/torch/head_gradient.h"
#include "palimpsest/torch/layer_gradient.h"
#include "palimpsest/torch/packing.h"
#include "palimpsest/torch/scorer.h"

namespace palimpsest::torch {
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
    const RotaryTable rotary = decoder_.rotary(batch);
    at::Tensor hidden = decoder_.embed(batch);
    std::vector<LayerTape> tapes = decoder_.run_taped(batch, rotary, hidden);

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
    LinearGradients parameters(examples, norms, pool_);
    at::Tensor dh = final_norm_backward(head.normed_gradient(), hidden, rows, labelled, norms);
    hidden = at::Tensor();
    LayerGradient layers(a, batch, rotary, parameters, pool_);
    for (int64_t layer = a.num_layers - 1; layer >= 0; --layer) {
      LayerTape& tape = tapes[static_cast<size_t>(layer)];
      layers.run(layer, decoder_.layer(layer), tape, decoder_.ops(), dh);
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

  LabelledRows labelled_rows(const std::vector<int64_t>& nodes, const at::Tensor& hidden,
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

  at::Tensor final_norm_backward(const at::Tensor& dnormed, const at::Tensor& hidden,
                                 const std::vector<int64_t>& rows, const LabelledRows& labelled,
                                 GradientNorms& norms) {
    const Architecture& a = decoder_.architecture();
    const kernels::Norm norm = norm_kernel(a, decoder_.final_norm_weights());
    at::Tensor dh = at::zeros_like(hidden);
    const int64_t width = a.hidden_size;
    pool_.run(static_cast<int64_t>(labelled.examples.size()), [&](int64_t e, int) {
      const ExampleRows& example = labelled.examples[static_cast<size_t>(e)];
      std::vector<float> weight(static_cast<size_t>(width));
      std::vector<float> bias(static_cast<size_t>(a.final_norm.bias ? width : 0));
      for (int64_t i = example.begin; i < example.end; ++i) {
        const int64_t row = rows[static_cast<size_t>(i)];
        kernels::normalize_backward(norm, hidden.data_ptr<float>() + row * width,
                                    dnormed.data_ptr<float>() + i * width,
                                    dh.data_ptr<float>() + row * width, false, weight.data(),
                                    bias.empty() ? nullptr : bias.data());
      }
      norms.add(e, norms.parameter(a.final_norm.weight), weight);
      if (a.final_norm.bias) norms.add(e, norms.parameter(*a.final_norm.bias), bias);
    });
    return dh;
  }

  void embedding_norms(const Batch& batch, const std::vector<ExampleRows>& examples, at::Tensor& dh,
                       HeadGradient& head, GradientNorms& norms) {
    const Architecture& a = decoder_.architecture();
    const int64_t width = a.hidden_size;
    if (a.positions) {
      // No position comes twice in an example: its rows are the gradient's.
      for (const ExampleRows& example : examples) {
        norms.add(example.example, norms.parameter(*a.positions),
                  {dh.data_ptr<float>() + example.begin * width,
                   static_cast<size_t>(example.count() * width)});
      }
    }
    if (a.embedding_scale != 1) {
      kernels::scale(dh.data_ptr<float>(), static_cast<float>(a.embedding_scale), dh.numel());
    }
    std::vector<EmbeddedRows> embedded;
    for (const ExampleRows& example : examples) {
      const auto first = batch.ids.begin() + example.begin;
      embedded.push_back({.ids = {first, first + example.count()},
                          .gradient = dh.data_ptr<float>() + example.begin * width});
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

}  // namespace palimpsest::torch
