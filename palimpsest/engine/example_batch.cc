#include "palimpsest/engine/internal/example_batch.h"

#include "palimpsest/engine/internal/scorer.h"

namespace palimpsest::engine {

Packing pack_examples(std::span<const model::Sequence> sequences, int64_t max_rows) {
  return pack(sequences, {.max_rows = max_rows, .cut_long = false, .share_beginnings = false});
}

ExampleBatch make_example_batch(std::span<const model::Sequence> sequences, const Packing& packing,
                                std::span<const int64_t> nodes,
                                std::optional<int64_t> masked_token) {
  ExampleBatch made;
  for (size_t e = 0; e < nodes.size(); ++e) {
    // Nothing is shared or cut: a node begins where its sequence does.
    const PackedNode& node = packing.nodes[static_cast<size_t>(nodes[e])];
    const std::span<const int64_t> ids =
        std::span(sequences[static_cast<size_t>(node.sequence)].ids)
            .first(static_cast<size_t>(node.count()));
    const int64_t first = made.batch.rows();
    const auto example = static_cast<int64_t>(e);
    made.batch.segments.push_back(
        {.row = first, .count = node.count(), .hidden = hidden_flags(ids, masked_token)});
    append_tokens(node, ids, made.batch);
    made.examples.push_back({example, first, first + node.count()});
    made.sequences.push_back(node.sequence);
    const auto begin = static_cast<int64_t>(made.label_rows.size());
    for (const LabelledRow& labelled : node.labels) {
      made.label_rows.push_back(first + labelled.row);
      made.labels.push_back(labelled.label);
    }
    made.label_examples.push_back({example, begin, static_cast<int64_t>(made.label_rows.size())});
  }
  return made;
}

}  // namespace palimpsest::engine
