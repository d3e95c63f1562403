// Decides which tokens of which sequences run together. Sequences with the same beginning (a
// question with many answers, answers that differ only late, a common system prompt) form a tree
// whose inner nodes are computed once. Nodes are packed back to back into batches of limited size.
// Tokens after the one that predicts a sequence's last label are not run. The packing depends only
// on the sequences, so the same input always runs in the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/model/internal/rotary.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

// One entry of the results: `slot` of a sequence's scores.
struct ScoreSlot {
  int64_t sequence = 0;
  int64_t slot = 0;
};

// A labelled position: the logits of a row predict `label`, for every sequence that has this label
// there. A row after which sequences differ has several labels.
struct LabelledRow {
  int64_t row = 0;  // the row in the node
  int64_t label = 0;
  std::vector<ScoreSlot> slots;
};

// Tokens [begin, end) of a sequence, or of several sequences that share them.
struct PackedNode {
  int64_t parent = -1;  // the node with the tokens before `begin`; -1 if begin is 0
  int64_t sequence = 0;
  int64_t begin = 0;
  int64_t end = 0;
  int64_t children = 0;  // number of nodes that continue this one
  int64_t rope_length = 0;
  std::vector<LabelledRow> labels;

  int64_t count() const { return end - begin; }
};

struct PackingOptions {
  int64_t max_rows = 4096;  // the largest number of rows in a batch
  bool cut_long = true;     // cut longer nodes into chains; else they get their own batch
  bool share_beginnings = true;
  // If set, lengths with different rotary frequencies share no beginning.
  std::optional<model::Rotary> rotary = std::nullopt;
};

struct Packing {
  std::vector<PackedNode> nodes;              // parents come before their children
  std::vector<std::vector<int64_t>> batches;  // the nodes of each batch, in order
};

// Sequences without a labelled position t >= 1 are left out.
Packing pack(std::span<const model::Sequence> sequences, const PackingOptions& options);

}  // namespace palimpsest::engine
