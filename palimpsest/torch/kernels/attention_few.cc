#include <algorithm>

#include "palimpsest/base/vector_math.h"
#include "palimpsest/torch/kernels/attention_block.h"
#include "palimpsest/torch/kernels/rows.h"

namespace palimpsest::kernels {
namespace {

// More queries than this are worth packing the keys.
constexpr int64_t kFewQueries = 4;

// Key/value heads [begin, end), each with its `group` of query heads.
struct Heads {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t group = 0;
  int64_t dim = 0;
};

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

// scores[h · stride + j] = query head h · key j, for keys [begin, end) of the range.
PALIMPSEST_VECTOR_CLONES void score_keys(const Heads& heads, const float* query,
                                         const KeyRange& range, int64_t begin, int64_t end,
                                         float* scores, int64_t stride) {
  for (int64_t j = begin; j < end; ++j) {
    const float* key = range.keys + j * range.stride;
    float* score = scores + j;
    for (int64_t kv = heads.begin; kv < heads.end; ++kv) {
      for (int64_t h = kv * heads.group; h < (kv + 1) * heads.group; ++h, score += stride) {
        *score = short_dot(query + h * heads.dim, key + kv * heads.dim, heads.dim);
      }
    }
  }
}

// out head h += scores[h · stride + j] · value j.
PALIMPSEST_VECTOR_CLONES void mix_values(const Heads& heads, const float* scores, int64_t stride,
                                         const KeyRange& range, int64_t begin, int64_t end,
                                         float* out) {
  for (int64_t j = begin; j < end; ++j) {
    const float* value = range.values + j * range.stride;
    const float* score = scores + j;
    for (int64_t kv = heads.begin; kv < heads.end; ++kv) {
      for (int64_t h = kv * heads.group; h < (kv + 1) * heads.group; ++h, score += stride) {
        const float p = *score;
        for (int64_t d = 0; d < heads.dim; ++d) {
          out[h * heads.dim + d] += p * value[kv * heads.dim + d];
        }
      }
    }
  }
}

// visit(range, first index of the range, keys [begin, end) of it) for the ranges with keys in sight.
template <class Visit>
void for_each_range(const AttentionTask& task, const KeySpan& seen, Visit visit) {
  int64_t index = 0;
  for (const KeyRange& range : task.ranges) {
    const int64_t begin = std::max<int64_t>(seen.begin - index, 0);
    const int64_t end = std::min(range.count, seen.end - index);
    if (begin < end) visit(range, index, begin, end);
    index += range.count;
  }
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
  const int64_t stride = task.first + task.count;
  float* scores = grown(scratch.scores, (end - begin) * group * stride);
  std::vector<float>& sums = scratch.sums;
  sums.resize(static_cast<size_t>((end - begin) * group));
  for (int64_t i = 0; i < task.count; ++i) {
    const KeySpan seen = seen_by(shape, task.first + i);
    const float* query = task.queries + i * task.query_stride;
    for_each_range(task, seen, [&](const KeyRange& range, int64_t index, int64_t from, int64_t to) {
      score_keys(heads, query, range, from, to, scores + index, stride);
    });
    float* out = task.out + i * task.out_stride;
    std::fill(out + begin * group * shape.head_dim, out + end * group * shape.head_dim, 0.0F);
    for (int64_t h = begin * group; h < end * group; ++h) {
      float* row = scores + (h - begin * group) * stride;
      sums[static_cast<size_t>(h - begin * group)] =
          probabilities(shape, row + seen.begin, seen.end - seen.begin,
                        hidden == nullptr ? nullptr : hidden + seen.begin,
                        task.log_sums == nullptr ? nullptr : task.log_sums + i * shape.heads + h);
    }
    for_each_range(task, seen, [&](const KeyRange& range, int64_t index, int64_t from, int64_t to) {
      mix_values(heads, scores + index, stride, range, from, to, out);
    });
    for (int64_t h = begin * group; h < end * group; ++h) {
      scale(out + h * shape.head_dim, 1 / sums[static_cast<size_t>(h - begin * group)],
            shape.head_dim);
    }
  }
}

}  // namespace palimpsest::kernels
