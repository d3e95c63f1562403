#include "palimpsest/kernels/internal/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/kernels/numbers.h"

namespace palimpsest::kernels {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Reference {
  TokenScore score;
  int64_t argmax = 0;
};

// In double, two passes over the whole row.
Reference reference(const std::vector<float>& logits, int64_t label) {
  Reference result;
  result.argmax = std::ranges::max_element(logits) - logits.begin();
  const double top = logits[result.argmax];
  double others = 0;  // without the greatest, so that its log keeps its digits
  for (size_t i = 0; i < logits.size(); ++i) {
    if (static_cast<int64_t>(i) != result.argmax) others += std::exp(logits[i] - top);
  }
  const double log_sum = std::log1p(others);
  const auto log_p = [&](size_t i) { return logits[i] - top - log_sum; };
  for (size_t i = 0; i < logits.size(); ++i) result.score.mean += std::exp(log_p(i)) * log_p(i);
  for (size_t i = 0; i < logits.size(); ++i) {
    result.score.var += std::exp(log_p(i)) * std::pow(log_p(i) - result.score.mean, 2);
  }
  result.score.logprob = log_p(label);
  return result;
}

VocabularyState reduced(std::vector<float> logits, int64_t label, int64_t tile) {
  VocabularyState state;
  const auto size = static_cast<int64_t>(logits.size());
  for (int64_t first = 0; first < size; first += tile) {
    accumulate_tile(state, logits.data() + first, first, std::min(tile, size - first), label);
  }
  return state;
}

void expect_reference(const std::vector<float>& logits, int64_t label, int64_t tile) {
  const Reference expected = reference(logits, label);
  const VocabularyState state = reduced(logits, label, tile);
  const TokenScore found = score_of(state);
  EXPECT_EQ(state.argmax, expected.argmax);
  EXPECT_NEAR(found.logprob, expected.score.logprob, 1e-6);
  EXPECT_NEAR(found.mean, expected.score.mean, 1e-6 * (1 + std::fabs(expected.score.mean)));
  EXPECT_NEAR(found.var, expected.score.var, 2e-6 * (1 + expected.score.var));
}

constexpr int64_t kClasses = 3001;

TEST(AccumulateTileTest, TilesOfAnySize) {
  for (const double scale : {0.1, 1.0, 4.0}) {
    const std::vector<float> logits = random_numbers(kClasses, 1, scale);
    for (const int64_t tile : {1, 2, 31, 32, 33, 100, 1023, 1024, 1025, 3000, 3001, 5000}) {
      for (const int64_t label : {0, 1700}) {
        SCOPED_TRACE(testing::Message() << scale << " " << tile << " " << label);
        expect_reference(logits, label, tile);
      }
    }
  }
}

// First and last of a tile, of the row, and either side of a boundary.
TEST(AccumulateTileTest, LabelAnywhere) {
  const std::vector<float> logits = random_numbers(kClasses, 2, 2);
  for (const int64_t label : {0, 1, 98, 99, 100, 101, 199, 200, 2999, 3000}) {
    SCOPED_TRACE(label);
    expect_reference(logits, label, 100);
  }
}

TEST(AccumulateTileTest, EveryLengthOfARow) {
  for (int64_t n = 1; n <= 70; ++n) {
    const std::vector<float> logits = random_numbers(n, 3, 3);
    SCOPED_TRACE(n);
    expect_reference(logits, n / 2, n);
    expect_reference(logits, n - 1, 16);
  }
}

TEST(AccumulateTileTest, MaximumRisesWithEveryTile) {
  std::vector<float> logits = random_numbers(kClasses, 4, 5);
  std::ranges::sort(logits);
  for (const int64_t tile : {1, 7, 64}) {
    for (const int64_t label : {0, 1000, 3000}) {
      SCOPED_TRACE(testing::Message() << tile << " " << label);
      expect_reference(logits, label, tile);
    }
  }
}

TEST(AccumulateTileTest, TheFirstOfEqualsIsTheArgmax) {
  std::vector<float> logits(200, 1.0F);
  for (const int64_t tile : {1, 40, 50, 200}) {
    EXPECT_EQ(reduced(logits, 5, tile).argmax, 0) << tile;
  }
  logits[70] = logits[90] = logits[150] = 2;
  for (const int64_t tile : {1, 40, 50, 200}) {
    EXPECT_EQ(reduced(logits, 5, tile).argmax, 70) << tile;
  }
}

// Far from zero, where exponentials of the logits themselves would overflow.
TEST(AccumulateTileTest, LargeLogits) {
  for (const float level : {-1000.0F, 1000.0F}) {
    std::vector<float> logits = random_numbers(500, 5);
    for (float& logit : logits) logit += level;
    SCOPED_TRACE(level);
    expect_reference(logits, 3, 100);
  }
}

TEST(AccumulateTileTest, AClassFarBelowTheOthers) {
  std::vector<float> logits = random_numbers(500, 6);
  logits[123] = -500;
  expect_reference(logits, 123, 100);
}

// Of a memorised token it is 1 - p that tells it from the next.
TEST(AccumulateTileTest, APeakedDistributionKeepsTheDistanceToOne) {
  for (const float peak : {10.0F, 20.0F, 40.0F, 80.0F}) {
    for (const int64_t label : {0, 250, 499}) {
      std::vector<float> logits(500, 0.0F);
      logits[label] = peak;
      const double others = 499 * std::exp(-static_cast<double>(peak));
      for (const int64_t tile : {1, 100, 500}) {
        const TokenScore score = score_of(reduced(logits, label, tile));
        EXPECT_NEAR(score.logprob, -std::log1p(others), 1e-5 * others) << peak << " " << label;
        EXPECT_LT(score.logprob, 0);
      }
    }
  }
}

TEST(AccumulateTileTest, OneClassIsCertain) {
  const TokenScore score = score_of(reduced({3.0F}, 0, 1));
  EXPECT_EQ(score.logprob, 0);
  EXPECT_EQ(score.mean, 0);
  EXPECT_EQ(score.var, 0);
}

TEST(AccumulateTileTest, WhatIsNotFiniteMakesTheRowUndefined) {
  for (const float bad : {kNan, kInfinity}) {
    for (const int64_t index : {0, 1, 31, 32, 99, 100, 150, 499}) {
      for (const int64_t label : {0, 150, 499}) {
        std::vector<float> logits = random_numbers(500, 7);
        logits[index] = bad;
        for (const int64_t tile : {1, 100, 500}) {
          const TokenScore score = score_of(reduced(logits, label, tile));
          EXPECT_FALSE(std::isfinite(score.logprob)) << bad << " " << index << " " << label;
          EXPECT_FALSE(std::isfinite(score.mean)) << bad << " " << index << " " << label;
        }
      }
    }
  }
  EXPECT_FALSE(std::isfinite(score_of(reduced({-kInfinity, -kInfinity}, 0, 2)).logprob));
}

// Exponentials of all tiles brought to the last maximum by the factors are those of one pass.
void expect_kept(float cap) {
  const float inverse_cap = cap > 0 ? 1 / cap : 0;
  const std::vector<float> logits = random_numbers(300, 8, 2);
  const int64_t label = 130;
  std::vector<float> kept = logits;
  VocabularyState state;
  for (int64_t first = 0; first < 300; first += 50) {
    const float factor = accumulate_tile(state, kept.data() + first, first, 50, label,
                                         {.keep = true, .inverse_cap = inverse_cap});
    for (int64_t i = 0; i < first; ++i) kept[i] *= factor;
  }
  EXPECT_EQ(state.max, std::ranges::max(logits));
  for (int64_t i = 0; i < 300; ++i) {
    const double t = static_cast<double>(logits[i]) * static_cast<double>(inverse_cap);
    const double e = std::exp(static_cast<double>(logits[i]) - state.max) * (1 - t * t);
    EXPECT_NEAR(kept[i], i == label ? 0 : e, 1e-6) << i;
  }
}

TEST(AccumulateTileTest, KeepsExponentials) {
  expect_kept(0);
}
TEST(AccumulateTileTest, KeepsExponentialsTimesTheSlopeOfTheCap) {
  expect_kept(30);
}

TEST(AccumulateTileTest, LeavesTheTileAloneUnlessAsked) {
  const std::vector<float> logits = random_numbers(100, 9);
  std::vector<float> tile = logits;
  VocabularyState state;
  accumulate_tile(state, tile.data(), 0, 100, 3);
  EXPECT_EQ(tile, logits);
}

}  // namespace
}  // namespace palimpsest::kernels
