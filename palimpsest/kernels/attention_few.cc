#include <algorithm>
#include <array>
#include <span>

#include "palimpsest/base/internal/vector_math.h"
#include "palimpsest/kernels/internal/attention_block.h"
#include "palimpsest/kernels/internal/rows.h"

namespace palimpsest::kernels {
namespace {

// More queries than this are worth packing the keys.
constexpr int64_t kFewQueries = 8;

// Key/value heads [begin, end), each with its `group` of query heads.
struct Heads {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t group = 0;
  int64_t dim = 0;
};

struct Query {
  const float* data = nullptr;
  float* out = nullptr;
  float* scores = nullptr;  // head h and key j at [h · stride + j], h from the first of Heads
  KeySpan seen;

  bool sees(int64_t key) const { return key >= seen.begin && key < seen.end; }
};

using Queries = std::span<const Query>;

PALIMPSEST_INLINE float short_dot(const float* a, const float* b, int64_t n) {
  using Eight [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = float;
  Eight even = {};
  Eight odd = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    even += *reinterpret_cast<const Eight*>(a + i) * *reinterpret_cast<const Eight*>(b + i);
    odd += *reinterpret_cast<const Eight*>(a + i + 8) * *reinterpret_cast<const Eight*>(b + i + 8);
  }
  even += odd;
  float sum =
      ((even[0] + even[4]) + (even[1] + even[5])) + ((even[2] + even[6]) + (even[3] + even[7]));
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// Scores of the keys of a range, whose first has the index `index`: each key is read once.
PALIMPSEST_INLINE void score_keys_loop(const Heads& heads, Queries queries, int64_t stride,
                                       const KeyRange& range, int64_t index) {
  for (int64_t j = 0; j < range.count; ++j) {
    const float* key = range.keys + j * range.stride;
    for (const Query& query : queries) {
      if (!query.sees(index + j)) continue;
      float* score = query.scores + index + j;
      for (int64_t kv = heads.begin; kv < heads.end; ++kv) {
        for (int64_t h = kv * heads.group; h < (kv + 1) * heads.group; ++h, score += stride) {
          *score = short_dot(query.data + h * heads.dim, key + kv * heads.dim, heads.dim);
        }
      }
    }
  }
}

void score_keys(const Heads& heads, Queries queries, int64_t stride, const KeyRange& range,
                int64_t index) {
  PALIMPSEST_FOR_EACH_CPU(score_keys_loop(heads, queries, stride, range, index));
}

// out head h += score of head h and value j · value j.
PALIMPSEST_INLINE void mix_values_loop(const Heads& heads, Queries queries, int64_t stride,
                                       const KeyRange& range, int64_t index) {
  for (int64_t j = 0; j < range.count; ++j) {
    const float* value = range.values + j * range.stride;
    for (const Query& query : queries) {
      if (!query.sees(index + j)) continue;
      const float* score = query.scores + index + j;
      for (int64_t kv = heads.begin; kv < heads.end; ++kv) {
        for (int64_t h = kv * heads.group; h < (kv + 1) * heads.group; ++h, score += stride) {
          const float p = *score;
          for (int64_t d = 0; d < heads.dim; ++d) {
            query.out[h * heads.dim + d] += p * value[kv * heads.dim + d];
          }
        }
      }
    }
  }
}

void mix_values(const Heads& heads, Queries queries, int64_t stride, const KeyRange& range,
                int64_t index) {
  PALIMPSEST_FOR_EACH_CPU(mix_values_loop(heads, queries, stride, range, index));
}

}  // namespace

bool has_few_queries(const AttentionTask& task) {
  return task.decoding && task.count <= kFewQueries;
}

void attend_few(const AttentionShape& shape, const AttentionTask& task, int64_t begin, int64_t end,
                AttentionScratch& scratch) {
  const uint8_t* hidden = gather_hidden(task, scratch);
  const int64_t group = shape.heads / shape.kv_heads;
  const Heads heads{.begin = begin, .end = end, .group = group, .dim = shape.head_dim};
  const int64_t first_head = begin * group;
  const int64_t count = (end - begin) * group;
  const int64_t stride = task.first + task.count;
  float* scores = ensure_size(scratch.scores, task.count * count * stride);
  std::array<Query, kFewQueries> memory;
  for (int64_t i = 0; i < task.count; ++i) {
    memory[static_cast<size_t>(i)] = {.data = task.queries + i * task.query_stride,
                                      .out = task.out + i * task.out_stride,
                                      .scores = scores + i * count * stride,
                                      .seen = visible_keys(shape, task.first + i)};
  }
  const Queries queries(memory.data(), static_cast<size_t>(task.count));
  const auto for_each_range = [&](auto visit) {
    int64_t index = 0;
    for (const KeyRange& range : task.ranges) {
      visit(range, index);
      index += range.count;
    }
  };
  for_each_range([&](const KeyRange& range, int64_t index) {
    score_keys(heads, queries, stride, range, index);
  });
  std::vector<float>& sums = scratch.sums;
  sums.resize(static_cast<size_t>(task.count * count));
  for (int64_t i = 0; i < task.count; ++i) {
    const auto& [data, out, rows, seen] = queries[static_cast<size_t>(i)];
    std::fill_n(out + first_head * shape.head_dim, count * shape.head_dim, 0.0F);
    for (int64_t h = 0; h < count; ++h) {
      sums[static_cast<size_t>(i * count + h)] = probabilities(
          shape, rows + h * stride + seen.begin, seen.end - seen.begin,
          hidden == nullptr ? nullptr : hidden + seen.begin,
          task.log_sums == nullptr ? nullptr : task.log_sums + i * shape.heads + first_head + h);
    }
  }
  for_each_range([&](const KeyRange& range, int64_t index) {
    mix_values(heads, queries, stride, range, index);
  });
  for (int64_t i = 0; i < task.count; ++i) {
    float* out = queries[static_cast<size_t>(i)].out + first_head * shape.head_dim;
    for (int64_t h = 0; h < count; ++h) {
      scale(out + h * shape.head_dim, 1 / sums[static_cast<size_t>(i * count + h)], shape.head_dim);
    }
  }
}

}  // namespace palimpsest::kernels
