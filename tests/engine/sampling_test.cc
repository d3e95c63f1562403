#include "palimpsest/engine/internal/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace palimpsest::engine {
namespace {

// How often each token is drawn, of 20,000.
std::vector<double> shares(const std::vector<float>& logits,
                           const model::GenerateOptions& options) {
  constexpr int kDraws = 20000;
  Random random(3);
  std::vector<double> shares(logits.size());
  for (int i = 0; i < kDraws; ++i) {
    shares[static_cast<size_t>(sampled_token(logits, options, random))] += 1.0 / kDraws;
  }
  return shares;
}

// Four standard deviations of a share.
constexpr double kShareError = 0.015;

void expect_shares(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    if (expected[i] == 0) {
      EXPECT_EQ(found[i], 0) << i;
    } else {
      EXPECT_NEAR(found[i], expected[i], kShareError) << i;
    }
  }
}

std::vector<float> logits_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)) + 5);
  return logits;
}

TEST(GreedyTokenTest, TheFirstOfEquals) {
  EXPECT_EQ(greedy_token(std::vector<float>{1, 3, 2, 3}), 1);
  EXPECT_EQ(greedy_token(std::vector<float>{-1}), 0);
  EXPECT_EQ(greedy_token(std::vector<float>{-3, -2, -2}), 1);
}

TEST(PenalizeTest, DividesOrMultipliesOnce) {
  std::vector<float> logits = {2, -2, 0, 2, -2};
  penalize(logits, std::vector<int64_t>{0, 1, 2, 1, 0, 0}, 2);
  EXPECT_EQ(logits, (std::vector<float>{1, -4, 0, 2, -2}));
}

TEST(PenalizeTest, BelowOneRewards) {
  std::vector<float> logits = {2, -2};
  penalize(logits, std::vector<int64_t>{0, 1}, 0.5);
  EXPECT_EQ(logits, (std::vector<float>{4, -1}));
}

TEST(SampledTokenTest, FollowsTheProbabilities) {
  const std::vector<double> p = {0.5, 0.05, 0.3, 0.15};
  expect_shares(shares(logits_of(p), {.sample = true}), p);
}

TEST(SampledTokenTest, Temperature) {
  const std::vector<double> p = {0.6, 0.3, 0.1};
  const auto at = [&](double temperature) {
    std::vector<double> expected;
    double sum = 0;
    for (const double x : p) sum += std::pow(x, 1 / temperature);
    for (const double x : p) expected.push_back(std::pow(x, 1 / temperature) / sum);
    return expected;
  };
  for (const double temperature : {0.5, 2.0, 10.0}) {
    SCOPED_TRACE(temperature);
    expect_shares(shares(logits_of(p), {.sample = true, .temperature = temperature}),
                  at(temperature));
  }
  for (const double smallest : {1e-4, 1e-30}) {
    expect_shares(shares(logits_of(p), {.sample = true, .temperature = smallest}), {1, 0, 0});
  }
}

TEST(SampledTokenTest, TopK) {
  const std::vector<float> logits = logits_of({0.1, 0.4, 0.2, 0.3});
  expect_shares(shares(logits, {.sample = true, .top_k = 1}), {0, 1, 0, 0});
  expect_shares(shares(logits, {.sample = true, .top_k = 2}), {0, 0.4 / 0.7, 0, 0.3 / 0.7});
  expect_shares(shares(logits, {.sample = true, .top_k = 4}), {0.1, 0.4, 0.2, 0.3});
  expect_shares(shares(logits, {.sample = true, .top_k = 100}), {0.1, 0.4, 0.2, 0.3});
}

TEST(SampledTokenTest, TiesWithTheKthStay) {
  const std::vector<float> logits = logits_of({0.25, 0.4, 0.25, 0.1});
  expect_shares(shares(logits, {.sample = true, .top_k = 2}),
                {0.25 / 0.9, 0.4 / 0.9, 0.25 / 0.9, 0});
}

TEST(SampledTokenTest, TopP) {
  const std::vector<float> logits = logits_of({0.1, 0.4, 0.2, 0.3});
  expect_shares(shares(logits, {.sample = true, .top_p = 0.01}), {0, 1, 0, 0});
  expect_shares(shares(logits, {.sample = true, .top_p = 0.6}), {0, 0.4 / 0.7, 0, 0.3 / 0.7});
  expect_shares(shares(logits, {.sample = true, .top_p = 0.75}),
                {0, 0.4 / 0.9, 0.2 / 0.9, 0.3 / 0.9});
  expect_shares(shares(logits, {.sample = true, .top_p = 1}), {0.1, 0.4, 0.2, 0.3});
}

// top-p counts what top-k has left.
TEST(SampledTokenTest, TopKThenTopP) {
  const std::vector<float> logits = logits_of({0.1, 0.4, 0.2, 0.3});
  // 0.4 / 0.7 = 0.571 reaches 0.55, 0.4 of everything would not.
  expect_shares(shares(logits, {.sample = true, .top_k = 2, .top_p = 0.55}), {0, 1, 0, 0});
}

TEST(SampledTokenTest, TheSameSeedDrawsTheSame) {
  const std::vector<float> logits = logits_of({0.1, 0.4, 0.2, 0.3});
  const auto draw = [&](uint64_t seed) {
    Random random(seed);
    std::vector<int64_t> tokens;
    for (int i = 0; i < 50; ++i) tokens.push_back(sampled_token(logits, {.sample = true}, random));
    return tokens;
  };
  EXPECT_EQ(draw(5), draw(5));
  EXPECT_NE(draw(5), draw(6));
}

}  // namespace
}  // namespace palimpsest::engine
