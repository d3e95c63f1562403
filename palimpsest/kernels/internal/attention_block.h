// Steps that the forward and backward passes of attention share: the scores of a block of queries,
// and their conversion to probabilities.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "palimpsest/kernels/internal/attention.h"

namespace palimpsest::kernels {

// The number of queries whose scores are computed together, so that they stay in the second-level
// cache.
constexpr int64_t kQueryBlock = 48;

// The indices of the keys that a query sees; the last is the query itself.
struct KeySpan {
  int64_t begin = 0;
  int64_t end = 0;
};

inline KeySpan visible_keys(const AttentionShape& shape, int64_t index) {
  return {.begin = shape.window > 0 ? std::max<int64_t>(0, index - shape.window + 1) : 0,
          .end = index + 1};
}

// The keys and values of one head in the layouts of tile.h.
struct PackedKeys {
  const float* key_panels = nullptr;  // pack_transposed of [keys, head_dim]
  const float* value_rows = nullptr;  // pack_rows of [keys, head_dim]
};

// q·k for a block of queries and the keys [begin, end). `begin` is the start of a panel (tile.h).
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

// The `hidden` flags of all ranges in one array, or null if no key is hidden.
const uint8_t* gather_hidden(const AttentionTask& task, AttentionScratch& scratch);

// Turns the scores [0, n) of one query into unnormalised probabilities and returns their sum.
// Stores log Σ exp in `log_sum`, which may be null. The last of the n keys is the query itself.
float probabilities(const AttentionShape& shape, float* scores, int64_t n, const uint8_t* hidden,
                    float* log_sum);

// Makes the scores of hidden keys very negative. The last key, the query itself, is hidden only if
// another key is visible.
void hide(float* scores, int64_t n, const uint8_t* hidden);

// Makes sure that the vector holds at least n numbers, and returns its memory.
inline float* ensure_size(std::vector<float>& memory, int64_t n) {
  if (static_cast<int64_t>(memory.size()) < n) memory.resize(static_cast<size_t>(n));
  return memory.data();
}

}  // namespace palimpsest::kernels
