// Causal attention of the new tokens of one sequence over its keys, some key/value heads at a time:
// no row of the T×T score matrix outlives the block of queries that needs it.
//
// The keys of a sequence come in ranges (a shared prompt, a cache, the tokens themselves), in order.
// Query i of a task stands at index `first + i` and sees the keys at indices
// (first + i - window, first + i], hidden ones excepted. A query that sees no key sees itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace palimpsest::kernels {

// Consecutive keys and values of a sequence: row j at keys + j · stride.
struct KeyRange {
  const float* keys = nullptr;
  const float* values = nullptr;
  int64_t stride = 0;
  int64_t count = 0;
  const uint8_t* hidden = nullptr;  // count flags; null: none is hidden
};

struct AttentionShape {
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
  float scale = 1;
  float softcap = 0;   // 0: none
  int64_t window = 0;  // 0: none
};

struct AttentionTask {
  const float* queries = nullptr;  // [count, heads · head_dim], row stride query_stride
  int64_t query_stride = 0;
  float* out = nullptr;  // [count, heads · head_dim]
  int64_t out_stride = 0;
  float* log_sums =
      nullptr;        // [count, heads]: log Σ exp(score), for the backward pass; may be null
  int64_t count = 0;  // queries
  int64_t first = 0;  // index of the first query
  // A token or a few after a cache: they are cheaper without packing the keys. Sums come in another
  // order then, so that scoring, whose result must not depend on its batches, never asks for it.
  bool decoding = false;
  std::span<const KeyRange> ranges;  // first + count keys together
};

// What one thread needs besides; grows as it must and is kept between calls.
struct AttentionScratch {
  std::vector<float> keys, values, scores, more_keys, queries, slopes, sums;
  std::vector<uint8_t> hidden;
};

// Key/value heads [begin, end), with the query heads that belong to them.
void attend(const AttentionShape& shape, const AttentionTask& task, int64_t begin, int64_t end,
            AttentionScratch& scratch);

// Whether heads should be attended together: keys and values are then read once, in the order in
// which they lie in memory, which is all that decoding costs.
bool has_few_queries(const AttentionTask& task);

// Gradients of a task whose keys are its own tokens: one range, first = 0.
struct AttentionGradient {
  const float* out_gradient = nullptr;  // as out
  float* query_gradient = nullptr;      // written, row stride of each: gradient_stride
  float* key_gradient = nullptr;
  float* value_gradient = nullptr;
  int64_t gradient_stride = 0;
};

// Needs what attend() wrote to out and log_sums.
void attend_backward(const AttentionShape& shape, const AttentionTask& task,
                     const AttentionGradient& gradient, int64_t kv_head, AttentionScratch& scratch);

}  // namespace palimpsest::kernels
