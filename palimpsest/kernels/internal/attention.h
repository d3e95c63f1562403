// Causal attention of the new tokens of one sequence, for some key/value heads at a time. The T×T
// score matrix is never formed as a whole: its rows exist only for the current block of queries.
//
// The keys of a sequence come in several ranges, in order (such as a shared prompt, a cache, and
// the tokens themselves). Query i of a task has the index `first + i` in the sequence. It sees the
// keys with indices in (first + i - window, first + i], except hidden ones. A query that would see
// no key sees itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace palimpsest::kernels {

// Consecutive keys and values of a sequence. Row j of the keys is at keys + j · stride.
struct KeyRange {
  const float* keys = nullptr;
  const float* values = nullptr;
  int64_t stride = 0;
  int64_t count = 0;
  const uint8_t* hidden = nullptr;  // one flag per key; null: none is hidden
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
  // log Σ exp(score) for the backward pass: [count, heads]. May be null.
  float* log_sums = nullptr;
  int64_t count = 0;  // number of queries
  int64_t first = 0;  // index of the first query
  // Set for one or a few tokens after a cache. The keys are then not packed, which is cheaper, but
  // sums are taken in another order. Scoring never sets it, because its result must not depend on
  // how batches are formed.
  bool decoding = false;
  std::span<const KeyRange> ranges;  // together they hold first + count keys
};

// Work space of one thread. It grows as needed and is kept between calls.
struct AttentionScratch {
  std::vector<float> keys, values, scores, more_keys, queries, slopes, sums;
  std::vector<uint8_t> hidden;
};

// Computes the key/value heads [begin, end), with the query heads that belong to them.
void attend(const AttentionShape& shape, const AttentionTask& task, int64_t begin, int64_t end,
            AttentionScratch& scratch);

// Whether several heads should be computed in one call. Then keys and values are read once, in the
// order in which they lie in memory; in decoding, that is nearly all of the cost.
bool has_few_queries(const AttentionTask& task);

// The gradients of a task whose keys are its own tokens: it has one range, and first = 0.
struct AttentionGradient {
  const float* out_gradient = nullptr;  // in the layout of `out`
  // This and the next two are written, with row stride gradient_stride.
  float* query_gradient = nullptr;
  float* key_gradient = nullptr;
  float* value_gradient = nullptr;
  int64_t gradient_stride = 0;
};

// Needs the results of attend() in `out` and `log_sums`.
void attend_backward(const AttentionShape& shape, const AttentionTask& task,
                     const AttentionGradient& gradient, int64_t kv_head, AttentionScratch& scratch);

}  // namespace palimpsest::kernels
