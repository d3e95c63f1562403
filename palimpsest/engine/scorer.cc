#include "palimpsest/engine/internal/scorer.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "palimpsest/base/error.h"
#include "palimpsest/engine/internal/head.h"

namespace palimpsest::engine {
namespace {

class Scorer {
 public:
  Scorer(Decoder& decoder, std::span<const model::Sequence> sequences,
         const model::ScoreOptions& options, const ScorerOptions& limits)
      : decoder_(decoder),
        head_(decoder),
        sequences_(sequences),
        options_(options),
        limits_(limits),
        packing_(pack(sequences,
                      {.max_rows = limits.max_rows, .rotary = decoder.architecture().rotary})),
        caches_(packing_.nodes.size()),
        waiting_(packing_.nodes.size()),
        scores_(decoder.has_last_layer() ? empty_scores(sequences)
                                         : std::vector<model::SequenceScores>()) {
    for (size_t i = 0; i < waiting_.size(); ++i) waiting_[i] = packing_.nodes[i].children;
  }

  std::vector<model::SequenceScores> run() {
    for (size_t first = 0; first < packing_.batches.size();) {
      if (options_.stop.stop_requested()) throw Stopped();
      const size_t last = group_end(first);
      run_group(std::span(packing_.batches).subspan(first, last - first));
      first = last;
    }
    return std::move(scores_);
  }

 private:
  // Batches [first, result) whose hidden states are in memory at the same time.
  size_t group_end(size_t first) const {
    int64_t rows = 0;
    size_t last = first;
    while (last < packing_.batches.size()) {
      for (const int64_t node : packing_.batches[last]) rows += packing_.nodes[node].count();
      if (last > first && rows > limits_.max_held_rows) break;
      ++last;
      if (!decoder_.streamed()) break;
    }
    return last;
  }

  void run_group(std::span<const std::vector<int64_t>> group) {
    std::vector<Batch> batches;
    std::vector<Matrix> hidden;
    for (const std::vector<int64_t>& nodes : group) {
      batches.push_back(make_batch(nodes));
      hidden.push_back(first_states(batches.back()));
    }
    decoder_.run(batches, hidden);
    for (size_t i = 0; i < group.size(); ++i) {
      if (decoder_.has_last_layer()) {
        store_scores(group[i], hidden[i]);
      } else {
        const Matrix sent = decoder_.ops().to_host(hidden[i]);
        limits_.link->send({sent.data(), static_cast<size_t>(sent.size())});
      }
      release_caches(group[i]);
    }
  }

  // The hidden states before the decoder's first layer.
  Matrix first_states(const Batch& batch) {
    if (decoder_.has_first_layer()) return decoder_.embed(batch);
    const Matrix received = host_matrix(batch.rows(), decoder_.architecture().hidden_size);
    limits_.link->receive({received.data(), static_cast<size_t>(received.size())});
    return decoder_.ops().to_device(received);
  }

  Batch make_batch(const std::vector<int64_t>& nodes) {
    Batch batch;
    for (const int64_t number : nodes) {
      const PackedNode& node = packing_.nodes[number];
      const std::vector<int64_t>& ids = sequences_[node.sequence].ids;
      Segment segment{.row = batch.rows(), .count = node.count()};
      for (int64_t above = node.parent; above >= 0; above = packing_.nodes[above].parent) {
        segment.context.push_back({caches_[above], packing_.nodes[above].count()});
      }
      std::ranges::reverse(segment.context);
      std::vector<uint8_t> hidden =
          hidden_flags(std::span(ids).subspan(node.begin, node.count()), options_.masked_token);
      if (node.children > 0) {
        caches_[number] = std::make_shared<KvCache>(decoder_.architecture().num_layers);
        caches_[number]->hidden = std::move(hidden);
        segment.cache = caches_[number];
      } else {
        segment.hidden = std::move(hidden);
      }
      batch.segments.push_back(std::move(segment));
      append_tokens(node, ids, batch);
    }
    if (batch.rows() == 1) duplicate_single_row(batch);
    return batch;
  }

  // One row alone is multiplied in another order, which decoding profits from: its result would
  // depend on what it was scored with. Nobody reads the result of the copy.
  static void duplicate_single_row(Batch& batch) {
    Segment copy = batch.segments.front();
    if (copy.cache) copy.hidden = copy.cache->hidden;
    copy.cache = nullptr;
    copy.row = 1;
    batch.segments.push_back(std::move(copy));
    for (auto* column : {&batch.ids, &batch.positions, &batch.rope_lengths}) {
      column->push_back(column->front());
    }
  }

  void store_scores(const std::vector<int64_t>& nodes, const Matrix& hidden) {
    std::vector<int64_t> rows;
    std::vector<int64_t> labels;
    std::vector<const LabelledRow*> targets;
    int64_t first = 0;
    for (const int64_t number : nodes) {
      const PackedNode& node = packing_.nodes[number];
      for (const LabelledRow& labelled : node.labels) {
        rows.push_back(first + labelled.row);
        labels.push_back(labelled.label);
        targets.push_back(&labelled);
      }
      first += node.count();
    }
    if (rows.empty()) return;
    if (rows.size() == 1) {  // as in duplicate_single_row()
      rows.push_back(rows.front());
      labels.push_back(labels.front());
    }
    const Matrix normed = decoder_.final_norm(hidden, rows);
    const auto states = head_.reduce(normed, labels);
    for (size_t i = 0; i < targets.size(); ++i) {
      store_score(states[i], targets[i]->slots, scores_);
    }
    if (!options_.ranks) return;
    const std::vector<int64_t> ranks = head_.ranks(normed, labels);
    for (size_t i = 0; i < targets.size(); ++i) {
      for (const ScoreSlot& slot : targets[i]->slots) {
        model::SequenceScores& sequence = scores_[static_cast<size_t>(slot.sequence)];
        sequence.rank.resize(sequence.argmax.size());
        sequence.rank[static_cast<size_t>(slot.slot)] = ranks[i];
      }
    }
  }

  // Frees the keys of shared beginnings when the last sequence that begins with them has run.
  void release_caches(const std::vector<int64_t>& nodes) {
    for (const int64_t number : nodes) {
      if (packing_.nodes[number].children == 0) finish(number);
    }
  }

  void finish(int64_t number) {
    for (int64_t above = packing_.nodes[number].parent; above >= 0 && --waiting_[above] == 0;
         above = packing_.nodes[above].parent) {
      caches_[above].reset();
    }
  }

  Decoder& decoder_;
  Head head_;
  std::span<const model::Sequence> sequences_;
  const model::ScoreOptions& options_;
  const ScorerOptions& limits_;
  Packing packing_;
  std::vector<std::shared_ptr<KvCache>> caches_;  // a node each; null without children
  std::vector<int64_t> waiting_;                  // children with something left to run
  std::vector<model::SequenceScores> scores_;
};

}  // namespace

std::vector<model::SequenceScores> empty_scores(std::span<const model::Sequence> sequences) {
  std::vector<model::SequenceScores> scores(sequences.size());
  for (size_t i = 0; i < sequences.size(); ++i) {
    const std::vector<int64_t>& labels = sequences[i].labels;
    if (labels.empty()) continue;
    const auto count = static_cast<size_t>(std::count_if(
        labels.begin() + 1, labels.end(), [](int64_t label) { return label != kIgnoredLabel; }));
    scores[i].logprob.resize(count);
    scores[i].mean.resize(count);
    scores[i].var.resize(count);
    scores[i].argmax.resize(count);
  }
  return scores;
}

void append_tokens(const PackedNode& node, std::span<const int64_t> ids, Batch& batch) {
  for (int64_t t = node.begin; t < node.end; ++t) {
    batch.ids.push_back(ids[static_cast<size_t>(t)]);
    batch.positions.push_back(t);
    batch.rope_lengths.push_back(node.rope_length);
  }
}

std::vector<uint8_t> hidden_flags(std::span<const int64_t> ids,
                                  std::optional<int64_t> masked_token) {
  if (!masked_token || std::ranges::find(ids, *masked_token) == ids.end()) return {};
  std::vector<uint8_t> flags(ids.size());
  std::ranges::transform(ids, flags.begin(), [&](int64_t id) { return id == *masked_token; });
  return flags;
}

void require_finite_output(bool is_finite) {
  if (is_finite) return;
  throw Error({.what = "the model's output is not a number",
               .hint = "its weights are damaged, or too large for the chosen type"});
}

void store_score(const kernels::VocabularyState& state, std::span<const ScoreSlot> slots,
                 std::vector<model::SequenceScores>& scores) {
  const kernels::TokenScore score = kernels::score_of(state);
  require_finite_output(std::isfinite(score.logprob) && std::isfinite(score.mean));
  for (const ScoreSlot& slot : slots) {
    model::SequenceScores& sequence = scores[static_cast<size_t>(slot.sequence)];
    const auto at = static_cast<size_t>(slot.slot);
    sequence.logprob[at] = std::min(score.logprob, 0.0);
    sequence.mean[at] = score.mean;
    sequence.var[at] = score.var;
    sequence.argmax[at] = state.argmax;
  }
}

std::vector<model::SequenceScores> score_sequences(Decoder& decoder,
                                                   std::span<const model::Sequence> sequences,
                                                   const model::ScoreOptions& options,
                                                   const ScorerOptions& limits) {
  return Scorer(decoder, sequences, options, limits).run();
}

}  // namespace palimpsest::engine
