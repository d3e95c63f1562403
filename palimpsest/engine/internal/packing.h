// Which tokens of which sequences run together. Sequences that begin alike (a question with many
// answers, answers that part late, a system prompt common to all) form a tree whose inner nodes are
// computed once; nodes are packed back to back into batches of bounded size. What comes after the
// token that predicts a sequence's last label runs nowhere. Depends on the sequences alone, so
// that the same input always runs the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/model/language_model.h"
#include "palimpsest/model/rotary.h"

namespace palimpsest::engine {

// Entry `slot` of a sequence's scores.
struct ScoreSlot {
  int64_t sequence = 0;
  int64_t slot = 0;
};

// A labelled position: the logits of a node's row predict `label`, for every sequence that has it
// there. A row at which sequences part has several labels.
struct LabelledRow {
  int64_t row = 0;  // in the node
  int64_t label = 0;
  std::vector<ScoreSlot> slots;
};

// Tokens [begin, end) of a sequence (of any of those that share them).
struct PackedNode {
  int64_t parent = -1;  // the node with the tokens before `begin`; -1: begin is 0
  int64_t sequence = 0;
  int64_t begin = 0;
  int64_t end = 0;
  int64_t children = 0;  // nodes that go on from here
  int64_t rope_length = 0;
  std::vector<LabelledRow> labels;

  int64_t count() const { return end - begin; }
};

struct PackingOptions {
  int64_t max_rows = 4096;  // of a batch
  bool cut_long = true;     // nodes longer than that become chains; else batches of their own
  bool share_beginnings = true;
  std::optional<model::Rotary> rotary =
      std::nullopt;  // lengths with other frequencies do not share
};

struct Packing {
  std::vector<PackedNode> nodes;              // parents before their children
  std::vector<std::vector<int64_t>> batches;  // numbers of nodes, in order
};

// Sequences without a labelled position t >= 1 take no part.
Packing pack(std::span<const model::Sequence> sequences, const PackingOptions& options);

}  // namespace palimpsest::engine
