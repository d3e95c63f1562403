// Attention problems with everything they read, and what plain loops in double make of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/kernels/internal/attention.h"
#include "tests/kernels/numbers.h"

namespace palimpsest::kernels {

// Queries, keys and values of one sequence, row-major without gaps.
struct Problem {
  AttentionShape shape;
  int64_t first = 0;  // keys before the first query
  int64_t count = 0;  // queries
  std::vector<float> queries, keys, values;
  std::vector<uint8_t> hidden;  // one flag per key, or empty
  bool decoding = false;

  int64_t num_keys() const { return first + count; }
  int64_t query_width() const { return shape.heads * shape.head_dim; }
  int64_t key_width() const { return shape.kv_heads * shape.head_dim; }
};

inline Problem random_problem(const AttentionShape& shape, int64_t first, int64_t count) {
  Problem problem{.shape = shape, .first = first, .count = count};
  problem.queries = random_numbers(count * problem.query_width(), 1);
  problem.keys = random_numbers(problem.num_keys() * problem.key_width(), 2);
  problem.values = random_numbers(problem.num_keys() * problem.key_width(), 3);
  return problem;
}

struct Attended {
  std::vector<double> out;       // [count, heads · head_dim]
  std::vector<double> log_sums;  // [count, heads]
};

inline bool sees(const Problem& problem, int64_t query, int64_t key) {
  const int64_t index = problem.first + query;
  if (key > index) return false;
  if (problem.shape.window > 0 && key <= index - problem.shape.window) return false;
  return problem.hidden.empty() || problem.hidden[static_cast<size_t>(key)] == 0;
}

// By the definition, in double. The last three are the problem's numbers, so that a test may move
// them a little.
inline Attended reference(const Problem& problem, const std::vector<double>& queries,
                          const std::vector<double>& keys, const std::vector<double>& values) {
  const AttentionShape& shape = problem.shape;
  const int64_t dim = shape.head_dim;
  Attended result;
  result.out.resize(queries.size());
  for (int64_t i = 0; i < problem.count; ++i) {
    for (int64_t head = 0; head < shape.heads; ++head) {
      const double* query = queries.data() + i * problem.query_width() + head * dim;
      const int64_t kv = head / (shape.heads / shape.kv_heads) * dim;
      std::vector<int64_t> seen;
      for (int64_t j = 0; j < problem.num_keys(); ++j) {
        if (sees(problem, i, j)) seen.push_back(j);
      }
      if (seen.empty()) seen.push_back(problem.first + i);
      std::vector<double> scores;
      for (const int64_t j : seen) {
        double score = 0;
        for (int64_t c = 0; c < dim; ++c) {
          score += query[c] * keys[j * problem.key_width() + kv + c];
        }
        score *= static_cast<double>(shape.scale);
        const auto cap = static_cast<double>(shape.softcap);
        scores.push_back(cap > 0 ? cap * std::tanh(score / cap) : score);
      }
      const double top = std::ranges::max(scores);
      double sum = 0;
      for (const double score : scores) sum += std::exp(score - top);
      result.log_sums.push_back(top + std::log(sum));
      double* out = result.out.data() + i * problem.query_width() + head * dim;
      for (size_t s = 0; s < seen.size(); ++s) {
        const double p = std::exp(scores[s] - top) / sum;
        for (int64_t c = 0; c < dim; ++c) {
          out[c] += p * values[seen[s] * problem.key_width() + kv + c];
        }
      }
    }
  }
  return result;
}

inline std::vector<double> widened(const std::vector<float>& numbers) {
  return {numbers.begin(), numbers.end()};
}

inline Attended reference(const Problem& problem) {
  return reference(problem, widened(problem.queries), widened(problem.keys),
                   widened(problem.values));
}

// Rows with a gap after each, as pieces of a wider matrix have.
inline std::vector<float> spread(const std::vector<float>& rows, int64_t width, int64_t stride) {
  const auto count = static_cast<int64_t>(rows.size()) / width;
  std::vector<float> out(count * stride, kUntouched);
  for (int64_t i = 0; i < count; ++i) std::copy_n(&rows[i * width], width, &out[i * stride]);
  return out;
}

struct Found {
  std::vector<float> out;
  std::vector<float> log_sums;
};

// attend() with the keys cut into ranges of these sizes: the first head alone, the others together.
inline Found attended(const Problem& problem, const std::vector<int64_t>& cuts,
                      AttentionScratch& scratch) {
  const int64_t query_stride = problem.query_width() + 3;
  const int64_t key_stride = problem.key_width() + 2;
  const std::vector<float> queries = spread(problem.queries, problem.query_width(), query_stride);
  const std::vector<float> keys = spread(problem.keys, problem.key_width(), key_stride);
  const std::vector<float> values = spread(problem.values, problem.key_width(), key_stride);
  std::vector<KeyRange> ranges;
  int64_t begin = 0;
  for (const int64_t count : cuts) {
    const uint8_t* hidden = problem.hidden.empty() ? nullptr : problem.hidden.data() + begin;
    // A range without hidden keys needs no flags.
    if (hidden != nullptr && std::all_of(hidden, hidden + count, [](auto h) { return h == 0; })) {
      hidden = nullptr;
    }
    ranges.push_back({keys.data() + begin * key_stride, values.data() + begin * key_stride,
                      key_stride, count, hidden});
    begin += count;
  }
  PALIMPSEST_CHECK(begin == problem.num_keys());
  const int64_t out_stride = problem.query_width() + 1;
  std::vector<float> out(problem.count * out_stride, kUntouched);
  Found found;
  found.log_sums.resize(problem.count * problem.shape.heads, kUntouched);
  const AttentionTask task{.queries = queries.data(),
                           .query_stride = query_stride,
                           .out = out.data(),
                           .out_stride = out_stride,
                           .log_sums = found.log_sums.data(),
                           .count = problem.count,
                           .first = problem.first,
                           .decoding = problem.decoding,
                           .ranges = ranges};
  attend(problem.shape, task, 0, 1, scratch);
  attend(problem.shape, task, 1, problem.shape.kv_heads, scratch);
  for (int64_t i = 0; i < problem.count; ++i) {
    const auto row = out.begin() + i * out_stride;
    found.out.insert(found.out.end(), row, row + problem.query_width());
    PALIMPSEST_CHECK(row[problem.query_width()] == kUntouched);
  }
  return found;
}

inline constexpr AttentionShape kPlain{.heads = 2, .kv_heads = 2, .head_dim = 8, .scale = 0.35F};
inline constexpr AttentionShape kGrouped{.heads = 6, .kv_heads = 2, .head_dim = 20, .scale = 0.2F};
inline constexpr AttentionShape kCapped{
    .heads = 4, .kv_heads = 1, .head_dim = 16, .scale = 1, .softcap = 2.5F};
inline constexpr AttentionShape kWindowed{
    .heads = 2, .kv_heads = 1, .head_dim = 9, .scale = 0.3F, .window = 20};
inline const std::vector<AttentionShape> kShapes = {kPlain, kGrouped, kCapped, kWindowed};

}  // namespace palimpsest::kernels
