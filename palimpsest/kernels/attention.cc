#include "palimpsest/kernels/internal/attention.h"

#include <algorithm>
#include <cmath>

#include "palimpsest/base/internal/vector_math.h"
#include "palimpsest/kernels/internal/attention_block.h"
#include "palimpsest/kernels/internal/rows.h"
#include "palimpsest/kernels/internal/tile.h"

namespace palimpsest::kernels {

namespace {

PALIMPSEST_INLINE float greatest_of_loop(const float* x, int64_t n) {
  constexpr int64_t kLanes = 32;
  float lanes[kLanes];
  const int64_t head = std::min(n, kLanes);
  for (int64_t j = 0; j < kLanes; ++j) lanes[j] = x[j < head ? j : 0];
  int64_t i = kLanes;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] = x[i + j] > lanes[j] ? x[i + j] : lanes[j];
  }
  float greatest = lanes[0];
  for (; i < n; ++i) greatest = x[i] > greatest ? x[i] : greatest;
  for (const float lane : lanes) greatest = lane > greatest ? lane : greatest;
  return greatest;
}

float greatest_of(const float* x, int64_t n) {
  PALIMPSEST_FOR_EACH_CPU(greatest_of_loop(x, n));
}

// x = exp(x - top); returns the sum. What lies far below counts as (almost) nothing.
PALIMPSEST_INLINE float exponentials_loop(float* x, int64_t n, float top) {
  constexpr float kMinExponent = -87.0F;
  constexpr int64_t kLanes = 32;
  float lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) {
      const float e = fast_exp(clamp_to(x[i + j] - top, kMinExponent, 0));
      x[i + j] = e;
      lanes[j] += e;
    }
  }
  float sum = 0;
  for (; i < n; ++i) {
    x[i] = fast_exp(clamp_to(x[i] - top, kMinExponent, 0));
    sum += x[i];
  }
  for (const float lane : lanes) sum += lane;
  return sum;
}

float exponentials(float* x, int64_t n, float top) {
  PALIMPSEST_FOR_EACH_CPU(exponentials_loop(x, n, top));
}

void attend_block(const AttentionShape& shape, const AttentionTask& task, int64_t head,
                  int64_t begin, const uint8_t* hidden, const PackedKeys& packed,
                  AttentionScratch& scratch) {
  const int64_t dim = shape.head_dim;
  const int64_t rows = std::min(kQueryBlock, task.count - begin);
  const ScoreBlock block = score_block(shape, task, head, begin, packed, scratch);
  float sums[kQueryBlock];
  for (int64_t i = 0; i < rows; ++i) {
    const KeySpan seen = visible_keys(shape, task.first + begin + i);
    float* row = block.scores + i * block.width;
    sums[i] = probabilities(
        shape, row + (seen.begin - block.begin), seen.end - seen.begin,
        hidden == nullptr ? nullptr : hidden + seen.begin,
        task.log_sums == nullptr ? nullptr : task.log_sums + (begin + i) * shape.heads + head);
    std::fill(row, row + (seen.begin - block.begin), 0.0F);
    std::fill(row + (seen.end - block.begin), row + block.width, 0.0F);
  }
  const int64_t wide = round_up_to_panel(dim);
  float mixed[kQueryBlock * kPanel];
  for (int64_t c = 0; c < dim; c += kPanel) {
    multiply_panel({block.scores, block.width, 1}, rows, block.end - block.begin,
                   packed.value_rows + block.begin * wide + c, wide, mixed, kPanel, false);
    const int64_t columns = std::min(kPanel, dim - c);
    for (int64_t i = 0; i < rows; ++i) {
      float* out = task.out + (begin + i) * task.out_stride + head * dim + c;
      const float factor = 1 / sums[i];
      for (int64_t j = 0; j < columns; ++j) out[j] = mixed[i * kPanel + j] * factor;
    }
  }
}

void attend_head(const AttentionShape& shape, const AttentionTask& task, int64_t kv_head,
                 AttentionScratch& scratch) {
  const uint8_t* hidden = gather_hidden(task, scratch);
  const int64_t dim = shape.head_dim;
  const int64_t wide = round_up_to_panel(dim);
  const int64_t keys = task.first + task.count;
  float* key_rows = nullptr;
  if (task.ranges.size() > 1) {
    // A panel may straddle two ranges: first in one piece, then into panels.
    key_rows = ensure_size(scratch.more_keys, keys * dim);
  }
  float* key_panels = ensure_size(scratch.keys, round_up_to_panel(keys) * dim);
  float* value_rows = ensure_size(scratch.values, keys * wide);
  int64_t index = 0;
  for (const KeyRange& range : task.ranges) {
    const float* head_keys = range.keys + kv_head * dim;
    if (key_rows == nullptr) {
      pack_transposed(head_keys, range.stride, range.count, dim, key_panels);
    } else {
      for (int64_t j = 0; j < range.count; ++j) {
        std::copy_n(head_keys + j * range.stride, dim, key_rows + (index + j) * dim);
      }
    }
    pack_rows(range.values + kv_head * dim, range.stride, range.count, dim,
              value_rows + index * wide);
    index += range.count;
  }
  if (key_rows != nullptr) pack_transposed(key_rows, dim, keys, dim, key_panels);

  const PackedKeys packed{.key_panels = key_panels, .value_rows = value_rows};
  const int64_t group = shape.heads / shape.kv_heads;
  for (int64_t head = kv_head * group; head < (kv_head + 1) * group; ++head) {
    for (int64_t begin = 0; begin < task.count; begin += kQueryBlock) {
      attend_block(shape, task, head, begin, hidden, packed, scratch);
    }
  }
}

}  // namespace

float probabilities(const AttentionShape& shape, float* scores, int64_t n, const uint8_t* hidden,
                    float* log_sum) {
  if (shape.scale != 1) scale(scores, shape.scale, n);
  if (shape.softcap > 0) soft_cap(scores, shape.softcap, n);
  if (hidden != nullptr) hide(scores, n, hidden);
  const float top = greatest_of(scores, n);
  const float sum = exponentials(scores, n, top);
  if (log_sum != nullptr) *log_sum = top + std::log(sum);
  return sum;
}

const uint8_t* gather_hidden(const AttentionTask& task, AttentionScratch& scratch) {
  if (std::ranges::all_of(task.ranges, [](const KeyRange& r) { return r.hidden == nullptr; })) {
    return nullptr;
  }
  scratch.hidden.clear();
  for (const KeyRange& range : task.ranges) {
    if (range.hidden == nullptr) {
      scratch.hidden.resize(scratch.hidden.size() + static_cast<size_t>(range.count));
    } else {
      scratch.hidden.insert(scratch.hidden.end(), range.hidden, range.hidden + range.count);
    }
  }
  return scratch.hidden.data();
}

void hide(float* scores, int64_t n, const uint8_t* hidden) {
  bool any = false;
  for (int64_t j = 0; j < n; ++j) any = any || hidden[j] == 0;
  // The query itself stays where nothing else is left.
  for (int64_t j = 0; j < n; ++j) {
    if (hidden[j] != 0 && (any || j != n - 1)) scores[j] = -1e30F;
  }
}

ScoreBlock score_block(const AttentionShape& shape, const AttentionTask& task, int64_t head,
                       int64_t begin, const PackedKeys& packed, AttentionScratch& scratch) {
  const int64_t dim = shape.head_dim;
  const int64_t rows = std::min(kQueryBlock, task.count - begin);
  const KeySpan first = visible_keys(shape, task.first + begin);
  const KeySpan last = visible_keys(shape, task.first + begin + rows - 1);
  ScoreBlock block;
  block.begin = first.begin / kPanel * kPanel;
  block.end = last.end;
  block.width = round_up_to_panel(block.end - block.begin);
  block.scores = ensure_size(scratch.scores, kQueryBlock * block.width);
  const float* queries = task.queries + begin * task.query_stride + head * dim;
  for (int64_t key = block.begin; key < block.end; key += kPanel) {
    multiply_panel({queries, task.query_stride, 1}, rows, dim, packed.key_panels + key * dim,
                   kPanel, block.scores + (key - block.begin), block.width, false);
  }
  return block;
}

void attend(const AttentionShape& shape, const AttentionTask& task, int64_t begin, int64_t end,
            AttentionScratch& scratch) {
  if (has_few_queries(task)) return attend_few(shape, task, begin, end, scratch);
  for (int64_t kv_head = begin; kv_head < end; ++kv_head) {
    attend_head(shape, task, kv_head, scratch);
  }
}

}  // namespace palimpsest::kernels
