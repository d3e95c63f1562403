// What the passes of attention share: the scores of a block of queries, and what becomes of scores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "palimpsest/kernels/internal/attention.h"

namespace palimpsest::kernels {

// Queries whose scores are in hand at once: few enough that they stay in the second-level cache.
constexpr int64_t kQueryBlock = 48;

// Indices of the keys that a query sees, itself last.
struct KeySpan {
  int64_t begin = 0;
  int64_t end = 0;
};

inline KeySpan visible_keys(const AttentionShape& shape, int64_t index) {
  return {.begin = shape.window > 0 ? std::max<int64_t>(0, index - shape.window + 1) : 0,
          .end = index + 1};
}

// One head's keys and values in the layouts that tile.h wants.
struct PackedKeys {
  const float* key_panels = nullptr;  // pack_transposed of [keys, head_dim]
  const float* value_rows = nullptr;  // pack_rows of [keys, head_dim]
};

// q·k of a block of queries with the keys [begin, end), begin at the start of a panel.
struct ScoreBlock {
  float* scores = nullptr;  // [rows, width], in the scratch memory
  int64_t begin = 0;
  int64_t end = 0;
  int64_t width = 0;
};

ScoreBlock score_block(const AttentionShape& shape, const AttentionTask& task, int64_t head,
                       int64_t begin, const PackedKeys& packed, AttentionScratch& scratch);

// attend() for a task that has_few_queries().
void attend_few(const AttentionShape& shape, const AttentionTask& task, int64_t begin, int64_t end,
                AttentionScratch& scratch);

// The keys' flags in one piece, or null if no key is hidden.
const uint8_t* gather_hidden(const AttentionTask& task, AttentionScratch& scratch);

// Scores [0, n) of one query become unnormalised probabilities; returns what they sum to and, in
// `log_sum` (may be null), log Σ exp. The last of the n is the query itself.
float probabilities(const AttentionShape& shape, float* scores, int64_t n, const uint8_t* hidden,
                    float* log_sum);

// Scores of hidden keys become very negative, the last one's (the query's own) only if others are
// left.
void hide(float* scores, int64_t n, const uint8_t* hidden);

// The vector's memory for n numbers.
inline float* ensure_size(std::vector<float>& memory, int64_t n) {
  if (static_cast<int64_t>(memory.size()) < n) memory.resize(static_cast<size_t>(n));
  return memory.data();
}

}  // namespace palimpsest::kernels
