// Whole examples that are packed into one batch for a backward pass, with their rows and the rows
// that predict a label.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "palimpsest/engine/internal/batch.h"
#include "palimpsest/engine/internal/gradient_sink.h"
#include "palimpsest/engine/internal/packing.h"

namespace palimpsest::engine {

struct ExampleBatch {
  Batch batch;
  std::vector<ExampleRows> examples;  // the rows of each example in the batch
  std::vector<int64_t> sequences;     // the number of the sequence of each example
  // The rows of the batch that predict a label, example by example.
  std::vector<int64_t> label_rows;
  std::vector<int64_t> labels;              // the labels of those rows
  std::vector<ExampleRows> label_examples;  // the range of each example in label_rows
};

// Packs whole sequences: none is cut, and beginnings are not shared. Sequences without labels are
// left out.
Packing pack_examples(std::span<const model::Sequence> sequences, int64_t max_rows);

// Makes the batch from the nodes of one batch of such a packing.
ExampleBatch make_example_batch(std::span<const model::Sequence> sequences, const Packing& packing,
                                std::span<const int64_t> nodes,
                                std::optional<int64_t> masked_token);

}  // namespace palimpsest::engine
