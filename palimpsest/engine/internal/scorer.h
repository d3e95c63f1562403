// score(): sequences packed, run, and reduced to a few numbers per labelled token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "palimpsest/engine/internal/decoder.h"
#include "palimpsest/engine/internal/packing.h"
#include "palimpsest/kernels/internal/vocabulary.h"
#include "palimpsest/model/internal/memory.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

// How much runs and is held at once.
struct ScorerOptions {
  int64_t max_rows = model::kDefaultBatchTokens;  // packed tokens that run through a layer together
  int64_t max_held_rows = 2048;                   // hidden states in memory: more only if streamed
  int64_t max_gradient_rows = 1024;               // packed tokens of a backward pass
  int64_t max_cache_bytes = int64_t{4} << 30U;    // of all caches of a generation together
};

// The sequences are valid already. One result per sequence.
std::vector<model::SequenceScores> score_sequences(Decoder& decoder,
                                                   std::span<const model::Sequence> sequences,
                                                   const model::ScoreOptions& options,
                                                   const ScorerOptions& limits);

// Results with room for every labelled position.
std::vector<model::SequenceScores> empty_scores(std::span<const model::Sequence> sequences);

// Appends the node's tokens, with their positions, to a batch.
void append_tokens(const PackedNode& node, std::span<const int64_t> ids, Batch& batch);

// Flags of the tokens that attention must not see; empty if none is hidden.
std::vector<uint8_t> hidden_flags(std::span<const int64_t> ids,
                                  std::optional<int64_t> masked_token);

// Throws the Error that says so unless what the model gave is finite.
void require_finite_output(bool is_finite);

// Writes one token's numbers to all their slots. Throws Error if they are not finite.
void store_score(const kernels::VocabularyState& state, std::span<const ScoreSlot> slots,
                 std::vector<model::SequenceScores>& scores);

}  // namespace palimpsest::engine
