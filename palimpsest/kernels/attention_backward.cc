
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/vector_math.h"
#include "palimpsest/kernels/internal/attention.h"
#include "palimpsest/kernels/internal/attention_block.h"
#include "palimpsest/kernels/internal/rows.h"
#include "palimpsest/kernels/internal/tile.h"

namespace palimpsest::kernels {
namespace {

// One row of scores q·k becomes probabilities again: exp(score - log_sum).
PALIMPSEST_INLINE void recompute_probabilities_loop(float* scores, int64_t n, float log_sum) {
  constexpr float kMinExponent = -87.0F;
  for (int64_t j = 0; j < n; ++j)
    scores[j] = fast_exp(clamp_to(scores[j] - log_sum, kMinExponent, 0));
}

void recompute_probabilities(float* scores, int64_t n, float log_sum) {
  PALIMPSEST_FOR_EACH_CPU(recompute_probabilities_loop(scores, n, log_sum));
}

// slopes[j] becomes the gradient of the raw score q·k: p (dp - delta) · scale, times the soft cap's
// slope. On entry slopes holds dp; capped holds tanh(score / cap) or is null.
PALIMPSEST_INLINE void score_gradient_loop(const float* p, float* slopes, const float* capped,
                                           int64_t n, float delta, float scale) {
  if (capped == nullptr) {
    for (int64_t j = 0; j < n; ++j) slopes[j] = p[j] * (slopes[j] - delta) * scale;
  } else {
    for (int64_t j = 0; j < n; ++j) {
      slopes[j] = p[j] * (slopes[j] - delta) * scale * (1 - capped[j] * capped[j]);
    }
  }
}

void score_gradient(const float* p, float* slopes, const float* capped, int64_t n, float delta,
                    float scale) {
  PALIMPSEST_FOR_EACH_CPU(score_gradient_loop(p, slopes, capped, n, delta, scale));
}

// The head's memory for the whole task.
struct HeadGradient {
  const float* value_panels;  // pack_transposed of the values
  const float* key_rows;      // pack_rows of the keys
  float* keys;                // [keys, wide], added to
  float* values;              // [keys, wide], added to
};

struct BlockRows {
  const float* queries;   // pack_rows of the block's queries
  const float* outgoing;  // pack_rows of the gradient of the block's output
};

// The probabilities of a block in place of its scores, and their gradient in `slopes`.
void block_gradient(const AttentionShape& shape, const AttentionTask& task,
                    const AttentionGradient& gradient, int64_t head, int64_t begin,
                    const ScoreBlock& block, const HeadGradient& whole, float* slopes,
                    std::vector<float>& capped_row) {
  const int64_t dim = shape.head_dim;
  const int64_t rows = std::min(kQueryBlock, task.count - begin);
  const float* outgoing = gradient.out_gradient + begin * task.out_stride + head * dim;
  for (int64_t key = block.begin; key < block.end; key += kPanel) {
    multiply_panel({outgoing, task.out_stride, 1}, rows, dim, whole.value_panels + key * dim,
                   kPanel, slopes + (key - block.begin), block.width, false);
  }
  const uint8_t* hidden = task.ranges[0].hidden;
  for (int64_t i = 0; i < rows; ++i) {
    const KeySpan seen = visible_keys(shape, begin + i);
    const int64_t n = seen.end - seen.begin;
    float* row = block.scores + i * block.width;
    float* slope_row = slopes + i * block.width;
    float* p = row + (seen.begin - block.begin);
    float* slope = slope_row + (seen.begin - block.begin);
    if (shape.scale != 1) scale(p, shape.scale, n);
    float* capped = nullptr;
    if (shape.softcap > 0) {
      soft_cap(p, shape.softcap, n);
      capped = ensure_size(capped_row, n);
      for (int64_t j = 0; j < n; ++j) capped[j] = p[j] / shape.softcap;
    }
    if (hidden != nullptr) hide(p, n, hidden + seen.begin);
    recompute_probabilities(p, n, task.log_sums[(begin + i) * shape.heads + head]);
    const float* out = task.out + (begin + i) * task.out_stride + head * dim;
    const float delta = dot(out, outgoing + i * task.out_stride, dim);
    score_gradient(p, slope, capped, n, delta, shape.scale);
    for (float* cleared : {row, slope_row}) {
      std::fill(cleared, cleared + (seen.begin - block.begin), 0.0F);
      std::fill(cleared + (seen.end - block.begin), cleared + block.width, 0.0F);
    }
  }
}

void block_products(const AttentionShape& shape, const AttentionTask& task,
                    const AttentionGradient& gradient, int64_t head, int64_t begin,
                    const ScoreBlock& block, const float* slopes, const BlockRows& packed,
                    const HeadGradient& whole) {
  const int64_t dim = shape.head_dim;
  const int64_t wide = round_up_to_panel(dim);
  const int64_t rows = std::min(kQueryBlock, task.count - begin);
  const int64_t keys = block.end - block.begin;
  float mixed[kQueryBlock * kPanel];
  for (int64_t c = 0; c < wide; c += kPanel) {
    multiply_panel({slopes, block.width, 1}, rows, keys, whole.key_rows + block.begin * wide + c,
                   wide, mixed, kPanel, false);
    const int64_t columns = std::min(kPanel, dim - c);
    for (int64_t i = 0; i < rows; ++i) {
      std::copy_n(
          mixed + i * kPanel, columns,
          gradient.query_gradient + (begin + i) * gradient.gradient_stride + head * dim + c);
    }
    multiply_panel({slopes, 1, block.width}, keys, rows, packed.queries + c, wide,
                   whole.keys + block.begin * wide + c, wide, true);
    multiply_panel({block.scores, 1, block.width}, keys, rows, packed.outgoing + c, wide,
                   whole.values + block.begin * wide + c, wide, true);
  }
}

}  // namespace

void attend_backward(const AttentionShape& shape, const AttentionTask& task,
                     const AttentionGradient& gradient, int64_t kv_head,
                     AttentionScratch& scratch) {
  PALIMPSEST_CHECK(task.ranges.size() == 1 && task.first == 0 && task.log_sums != nullptr);
  const KeyRange& range = task.ranges[0];
  const int64_t dim = shape.head_dim;
  const int64_t wide = round_up_to_panel(dim);
  const int64_t keys = task.count;
  const float* head_keys = range.keys + kv_head * dim;
  const float* head_values = range.values + kv_head * dim;
  // keys: panels of K, then of V; values: rows of K, then the sums of both gradients.
  const int64_t panel_size = round_up_to_panel(keys) * dim;
  float* key_panels = ensure_size(scratch.keys, 2 * panel_size);
  float* value_panels = key_panels + panel_size;
  pack_transposed(head_keys, range.stride, keys, dim, key_panels);
  pack_transposed(head_values, range.stride, keys, dim, value_panels);
  float* key_rows = ensure_size(scratch.values, 3 * keys * wide);
  pack_rows(head_keys, range.stride, keys, dim, key_rows);
  const HeadGradient whole{.value_panels = value_panels,
                           .key_rows = key_rows,
                           .keys = key_rows + keys * wide,
                           .values = key_rows + 2 * keys * wide};
  std::fill_n(whole.keys, 2 * keys * wide, 0.0F);

  const PackedKeys packed{.key_panels = key_panels};
  float* queries = ensure_size(scratch.queries, 2 * kQueryBlock * wide);
  float* outgoing = queries + kQueryBlock * wide;
  const int64_t group = shape.heads / shape.kv_heads;
  for (int64_t head = kv_head * group; head < (kv_head + 1) * group; ++head) {
    for (int64_t begin = 0; begin < task.count; begin += kQueryBlock) {
      const int64_t rows = std::min(kQueryBlock, task.count - begin);
      const ScoreBlock block = score_block(shape, task, head, begin, packed, scratch);
      float* slopes = ensure_size(scratch.slopes, kQueryBlock * block.width);
      block_gradient(shape, task, gradient, head, begin, block, whole, slopes, scratch.sums);
      pack_rows(task.queries + begin * task.query_stride + head * dim, task.query_stride, rows, dim,
                queries);
      pack_rows(gradient.out_gradient + begin * task.out_stride + head * dim, task.out_stride, rows,
                dim, outgoing);
      block_products(shape, task, gradient, head, begin, block, slopes,
                     {.queries = queries, .outgoing = outgoing}, whole);
    }
  }
  for (int64_t j = 0; j < keys; ++j) {
    const int64_t offset = j * gradient.gradient_stride + kv_head * dim;
    std::copy_n(whole.keys + j * wide, dim, gradient.key_gradient + offset);
    std::copy_n(whole.values + j * wide, dim, gradient.value_gradient + offset);
  }
}

}  // namespace palimpsest::kernels
