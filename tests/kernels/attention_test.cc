#include "palimpsest/kernels/internal/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/kernels/attention_problem.h"

namespace palimpsest::kernels {
namespace {

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

}  // namespace
}  // namespace palimpsest::kernels
