#include "palimpsest/torch/kernels/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "palimpsest/base/random.h"
#include "tests/torch/kernels/numbers.h"

namespace palimpsest::kernels {
namespace {

constexpr float kUntouched = 12345;

// Queries, keys and values of one sequence, row-major without gaps.
struct Problem {
  AttentionShape shape;
  int64_t first = 0;  // keys before the first query
  int64_t count = 0;  // queries
  std::vector<float> queries, keys, values;
  std::vector<uint8_t> hidden;  // a flag a key, or empty
  bool decoding = false;

  int64_t num_keys() const { return first + count; }
  int64_t query_width() const { return shape.heads * shape.head_dim; }
  int64_t key_width() const { return shape.kv_heads * shape.head_dim; }
};

Problem random_problem(const AttentionShape& shape, int64_t first, int64_t count) {
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

bool sees(const Problem& problem, int64_t query, int64_t key) {
  const int64_t index = problem.first + query;
  if (key > index) return false;
  if (problem.shape.window > 0 && key <= index - problem.shape.window) return false;
  return problem.hidden.empty() || problem.hidden[static_cast<size_t>(key)] == 0;
}

// By the definition, in double. The last three are the problem's numbers, so that a test may move
// them a little.
Attended reference(const Problem& problem, const std::vector<double>& queries,
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

std::vector<double> widened(const std::vector<float>& numbers) {
  return {numbers.begin(), numbers.end()};
}

Attended reference(const Problem& problem) {
  return reference(problem, widened(problem.queries), widened(problem.keys),
                   widened(problem.values));
}

// Rows with a gap after each, as pieces of a wider matrix have.
std::vector<float> spread(const std::vector<float>& rows, int64_t width, int64_t stride) {
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
Found attended(const Problem& problem, const std::vector<int64_t>& cuts,
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
  EXPECT_EQ(begin, problem.num_keys());
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
    EXPECT_EQ(row[problem.query_width()], kUntouched) << i;
  }
  return found;
}

// Scoring and decoding.
void expect_reference(Problem problem, const std::vector<int64_t>& cuts) {
  AttentionScratch scratch;
  const Attended expected = reference(problem);
  for (const bool decoding : {false, true}) {
    problem.decoding = decoding;
    const Found found = attended(problem, cuts, scratch);
    for (size_t i = 0; i < found.out.size(); ++i) {
      ASSERT_NEAR(found.out[i], expected.out[i], 3e-6) << i << ", decoding: " << decoding;
    }
    for (size_t i = 0; i < found.log_sums.size(); ++i) {
      ASSERT_NEAR(found.log_sums[i], expected.log_sums[i],
                  3e-6 * (1 + std::fabs(found.log_sums[i])))
          << i << ", decoding: " << decoding;
    }
  }
}

constexpr AttentionShape kPlain{.heads = 2, .kv_heads = 2, .head_dim = 8, .scale = 0.35F};
constexpr AttentionShape kGrouped{.heads = 6, .kv_heads = 2, .head_dim = 20, .scale = 0.2F};
constexpr AttentionShape kCapped{
    .heads = 4, .kv_heads = 1, .head_dim = 16, .scale = 1, .softcap = 2.5F};
constexpr AttentionShape kWindowed{
    .heads = 2, .kv_heads = 1, .head_dim = 9, .scale = 0.3F, .window = 20};
const std::vector<AttentionShape> kShapes = {kPlain, kGrouped, kCapped, kWindowed};

// One to eight queries that decode take a path of their own; more than 48 make several blocks.
TEST(AttendTest, EveryNumberOfQueries) {
  for (const AttentionShape& shape : kShapes) {
    for (const int64_t count : {1, 2, 3, 4, 6, 8, 9, 15, 16, 17, 47, 48, 49, 100}) {
      SCOPED_TRACE(testing::Message() << shape.heads << " heads, " << count << " queries");
      expect_reference(random_problem(shape, 0, count), {count});
    }
  }
}

TEST(AttendTest, ContextInRanges) {
  for (const AttentionShape& shape : kShapes) {
    for (const int64_t count : {1, 4, 8, 9, 60}) {
      SCOPED_TRACE(testing::Message() << shape.heads << " heads, " << count << " queries");
      expect_reference(random_problem(shape, 37, count), {37 + count});
      expect_reference(random_problem(shape, 37, count), {37, count});
      expect_reference(random_problem(shape, 37, count), {1, 20, 16, count});
    }
  }
}

// Windows from one key (the query alone) to more than there are.
TEST(AttendTest, EveryWindow) {
  AttentionShape shape = kPlain;
  for (const int64_t window : {1, 2, 15, 16, 17, 33, 48, 69, 70, 71, 1000}) {
    SCOPED_TRACE(window);
    shape.window = window;
    expect_reference(random_problem(shape, 0, 70), {70});
    expect_reference(random_problem(shape, 30, 40), {20, 10, 40});
    expect_reference(random_problem(shape, 69, 1), {60, 10});
  }
}

// Hidden at the beginning (queries that see nothing see themselves), the end and in between.
TEST(AttendTest, HiddenKeys) {
  for (const AttentionShape& shape : kShapes) {
    for (const int64_t count : {1, 3, 30, 60}) {
      for (const int64_t every : {1, 2, 3, 7}) {
        SCOPED_TRACE(testing::Message() << shape.heads << " heads, " << count << " queries, every "
                                        << every << "th hidden");
        Problem problem = random_problem(shape, 10, count);
        problem.hidden.resize(problem.num_keys());
        for (size_t j = 0; j < problem.hidden.size(); j += every) problem.hidden[j] = 1;
        std::fill_n(problem.hidden.begin(), 4, uint8_t{1});
        expect_reference(problem, {problem.num_keys()});
        expect_reference(problem, {4, 6, count});
      }
    }
  }
}

// The few-queries path and the blocked one, query by query.
TEST(AttendTest, AQueryAloneSeesWhatItSeesAmongOthers) {
  for (const AttentionShape& shape : kShapes) {
    const Problem whole = random_problem(shape, 0, 50);
    AttentionScratch scratch;
    const Found all = attended(whole, {50}, scratch);
    for (const int64_t index : {0, 7, 49}) {
      Problem one{.shape = shape, .first = index, .count = 1};
      const auto row = whole.queries.begin() + index * whole.query_width();
      one.queries.assign(row, row + whole.query_width());
      one.keys.assign(whole.keys.begin(), whole.keys.begin() + (index + 1) * whole.key_width());
      one.values.assign(whole.values.begin(),
                        whole.values.begin() + (index + 1) * whole.key_width());
      one.decoding = true;
      const Found found = attended(one, {index + 1}, scratch);
      for (int64_t c = 0; c < whole.query_width(); ++c) {
        EXPECT_NEAR(found.out[c], all.out[index * whole.query_width() + c], 1e-6) << index;
      }
    }
  }
}

TEST(AttendTest, ScratchOfALargerTaskDoesNoHarm) {
  AttentionScratch scratch;
  Problem large = random_problem(kGrouped, 20, 100);
  large.hidden.assign(120, 1);
  attended(large, {60, 60}, scratch);
  for (const int64_t count : {2, 20}) {
    const Problem small = random_problem(kGrouped, 3, count);
    AttentionScratch fresh;
    EXPECT_EQ(attended(small, {3, count}, scratch).out, attended(small, {3, count}, fresh).out);
  }
}

// Scores of some hundred: no overflow, and the greatest takes all.
TEST(AttendTest, LargeScores) {
  for (const int64_t count : {4, 40}) {
    Problem problem = random_problem(kPlain, 0, count);
    for (float& number : problem.queries) number *= 30;
    for (float& number : problem.keys) number *= 30;
    AttentionScratch scratch;
    const Found found = attended(problem, {count}, scratch);
    const Attended expected = reference(problem);
    for (size_t i = 0; i < found.out.size(); ++i) {
      // A score of 3000 is known to 2e-4, and so are probabilities.
      EXPECT_NEAR(found.out[i], expected.out[i], 2e-3) << i;
    }
  }
}

// A query or key that has overflowed: its probabilities are no numbers, and must not look like
// ones.
TEST(AttendTest, WhatIsNotFiniteStaysSo) {
  using Limits = std::numeric_limits<float>;
  for (const float bad : {Limits::quiet_NaN(), Limits::infinity()}) {
    for (const int64_t count : {4, 60}) {
      for (const int64_t row : {int64_t{0}, count - 1}) {
        Problem problem = random_problem(kPlain, 0, count);
        problem.queries[row * problem.query_width()] = bad;
        AttentionScratch scratch;
        const Found found = attended(problem, {count}, scratch);
        EXPECT_TRUE(std::isnan(found.out[row * problem.query_width()])) << bad << " " << row;
      }
      Problem problem = random_problem(kPlain, 0, count);
      problem.keys[(count - 2) * problem.key_width()] = bad;
      problem.queries[(count - 1) * problem.query_width()] = 1;  // towards +infinity
      AttentionScratch scratch;
      const Found found = attended(problem, {count}, scratch);
      EXPECT_TRUE(std::isnan(found.out[(count - 1) * problem.query_width()])) << bad;
    }
  }
}

// ---- backward

struct Gradients {
  std::vector<float> queries, keys, values;
};

Gradients backward(const Problem& problem, const std::vector<float>& out_gradient) {
  AttentionScratch scratch;
  const int64_t width = problem.query_width();
  std::vector<float> out(problem.queries.size());
  std::vector<float> log_sums(problem.count * problem.shape.heads);
  const KeyRange range{problem.keys.data(), problem.values.data(), problem.key_width(),
                       problem.count, problem.hidden.empty() ? nullptr : problem.hidden.data()};
  const AttentionTask task{.queries = problem.queries.data(),
                           .query_stride = width,
                           .out = out.data(),
                           .out_stride = width,
                           .log_sums = log_sums.data(),
                           .count = problem.count,
                           .ranges = {&range, 1}};
  // As in the decoder: the three side by side in one row.
  const int64_t stride = width + 2 * problem.key_width();
  std::vector<float> gradient(problem.count * stride, kUntouched);
  const AttentionGradient target{.out_gradient = out_gradient.data(),
                                 .query_gradient = gradient.data(),
                                 .key_gradient = gradient.data() + width,
                                 .value_gradient = gradient.data() + width + problem.key_width(),
                                 .gradient_stride = stride};
  for (int64_t kv = 0; kv < problem.shape.kv_heads; ++kv) {
    attend(problem.shape, task, kv, kv + 1, scratch);
    attend_backward(problem.shape, task, target, kv, scratch);
  }
  Gradients result;
  for (int64_t i = 0; i < problem.count; ++i) {
    const auto row = gradient.begin() + i * stride;
    result.queries.insert(result.queries.end(), row, row + width);
    result.keys.insert(result.keys.end(), row + width, row + width + problem.key_width());
    result.values.insert(result.values.end(), row + width + problem.key_width(), row + stride);
  }
  return result;
}

// A sample of entries against central differences of the reference in double.
void expect_differences(const Problem& problem, int64_t samples) {
  const std::vector<float> out_gradient = random_numbers(problem.count * problem.query_width(), 7);
  const Gradients found = backward(problem, out_gradient);
  std::vector<double> numbers[3] = {widened(problem.queries), widened(problem.keys),
                                    widened(problem.values)};
  const auto loss = [&] {
    const Attended attended = reference(problem, numbers[0], numbers[1], numbers[2]);
    double sum = 0;
    for (size_t i = 0; i < out_gradient.size(); ++i) {
      sum += static_cast<double>(out_gradient[i]) * attended.out[i];
    }
    return sum;
  };
  const std::vector<float>* gradients[3] = {&found.queries, &found.keys, &found.values};
  Random random(8);
  for (int which = 0; which < 3; ++which) {
    for (int64_t s = 0; s < samples; ++s) {
      const size_t place = random.below(numbers[which].size());
      double& number = numbers[which][place];
      const double before = number;
      constexpr double kStep = 1e-4;
      number = before + kStep;
      const double above = loss();
      number = before - kStep;
      const double below = loss();
      number = before;
      const double expected = (above - below) / (2 * kStep);
      EXPECT_NEAR((*gradients[which])[place], expected, 2e-5 * (1 + std::fabs(expected)))
          << "qkv"[which] << " " << place;
    }
  }
}

TEST(AttendBackwardTest, MatchesDifferences) {
  for (const AttentionShape& shape : kShapes) {
    for (const int64_t count : {1, 2, 5, 17}) {
      SCOPED_TRACE(testing::Message() << shape.heads << " heads, " << count << " queries");
      expect_differences(random_problem(shape, 0, count), 20);
    }
  }
}

TEST(AttendBackwardTest, SeveralBlocks) {
  AttentionShape shape = kWindowed;
  shape.softcap = 3;
  expect_differences(random_problem(shape, 0, 100), 15);
  expect_differences(random_problem(kGrouped, 0, 60), 10);
}

TEST(AttendBackwardTest, HiddenKeys) {
  for (const AttentionShape& shape : kShapes) {
    Problem problem = random_problem(shape, 0, 30);
    problem.hidden.resize(30);
    for (const size_t j : {0, 1, 5, 20, 29}) problem.hidden[j] = 1;
    SCOPED_TRACE(shape.heads);
    expect_differences(problem, 30);
  }
}

// What no query sees gets no gradient.
TEST(AttendBackwardTest, HiddenKeysGetNothing) {
  Problem problem = random_problem(kPlain, 0, 20);
  problem.hidden.resize(20);
  problem.hidden[9] = 1;
  const Gradients found = backward(problem, random_numbers(20 * problem.query_width(), 7));
  for (int64_t c = 0; c < problem.key_width(); ++c) {
    EXPECT_NEAR(found.keys[9 * problem.key_width() + c], 0, 1e-30);
    EXPECT_NEAR(found.values[9 * problem.key_width() + c], 0, 1e-30);
  }
}

}  // namespace
}  // namespace palimpsest::kernels
