// Whole examples packed into one batch for a backward pass: which rows belong to whom, and which of
// them predict a label.
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
  std::vector<ExampleRows> examples;        // rows of the batch, by example
  std::vector<int64_t> sequences;           // which sequence each example is
  std::vector<int64_t> label_rows;          // rows of the batch that predict a label, by example
  std::vector<int64_t> labels;              // of those
  std::vector<ExampleRows> label_examples;  // ranges of label_rows, by example
};

// Packs whole sequences, none cut, no beginnings shared. Those without labels take no part.
Packing pack_examples(std::span<const model::Sequence> sequences, int64_t max_rows);

// The nodes of one batch of such a packing.
ExampleBatch make_example_batch(std::span<const model::Sequence> sequences, const Packing& packing,
                                std::span<const int64_t> nodes,
                                std::optional<int64_t> masked_token);

}  // namespace palimpsest::engine
