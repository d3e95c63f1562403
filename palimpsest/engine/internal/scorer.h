// Implements score(): packs sequences, runs them, and reduces the results to a few numbers per
// labelled token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/engine/internal/packing.h"
#include "palimpsest/kernels/internal/vocabulary.h"
#include "palimpsest/model/internal/memory.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/model/stage_link.h"

namespace palimpsest::engine {

// Limits on the work that runs, and the memory that is held, at one time.
struct ScorerOptions {
  int64_t max_rows = model::kDefaultBatchTokens;  // packed tokens that run through a layer together
  int64_t max_held_rows = 2048;  // hidden states in memory; more than one batch only if streamed
  int64_t max_gradient_rows = 1024;             // packed tokens in a backward pass
  int64_t max_cache_bytes = int64_t{4} << 30U;  // for all caches of a generation together
  // If the decoder has only some of the layers: the connection with the stages that have the
  // others. All stages must have the same max_rows.
  model::StageLink* link = nullptr;
};

// The sequences must already have been checked. Returns one result per sequence, or nothing if the
// decoder does not have the last layer.
std::vector<model::SequenceScores> score_sequences(Decoder& decoder,
                                                   std::span<const model::Sequence> sequences,
                                                   const model::ScoreOptions& options,
                                                   const ScorerOptions& limits);

// Returns results with room for every labelled position.
std::vector<model::SequenceScores> empty_scores(std::span<const model::Sequence> sequences);

// Appends the node's tokens and their positions to a batch.
void append_tokens(const PackedNode& node, std::span<const int64_t> ids, Batch& batch);

// One flag per token that says whether attention must not see it; empty if none is hidden.
std::vector<uint8_t> hidden_flags(std::span<const int64_t> ids,
                                  std::optional<int64_t> masked_token);

// Throws an Error about the model's output unless it is finite.
void require_finite_output(bool is_finite);

// Writes the scores of one token to all their slots. Throws Error if they are not finite.
void store_score(const kernels::VocabularyState& state, std::span<const ScoreSlot> slots,
                 std::vector<model::SequenceScores>& scores);

}  // namespace palimpsest::engine
