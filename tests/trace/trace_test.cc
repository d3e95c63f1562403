#include "palimpsest/trace/trace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/expect_error.h"

namespace palimpsest::trace {
namespace {

TEST(TraceTest, AverageLossDividesByAllLabels) {
  Trace trace{
      .index = "0", .num_labels = 4, .logprob = {{-1, -2, -3}}};  // position 0 is labelled too
  EXPECT_EQ(avg_loss(trace), 1.5);
  trace.given_avg_loss = 7;
  EXPECT_EQ(avg_loss(trace), 7);
}

TEST(TraceTest, NumbersOfAModelBecomeFloat32) {
  Trace trace{.index = "0", .num_labels = 1, .logprob = {{-0.1}}, .mean = {{-0.2}}, .var = {{0.3}}};
  trace.given_avg_loss = 0.1;
  trace.grad_norm["2"] = 0.7;
  round_to_float32(trace);
  EXPECT_EQ(trace.logprob->front(), static_cast<double>(-0.1F));
  EXPECT_EQ(trace.mean->front(), static_cast<double>(-0.2F));
  EXPECT_EQ(trace.var->front(), static_cast<double>(0.3F));
  EXPECT_EQ(trace.grad_norm.at("2"), static_cast<double>(0.7F));
  EXPECT_EQ(trace.given_avg_loss, 0.1);  // derived: a sum in double
}

TEST(TraceTest, BeyondTheLargestFloat32IsInfinity) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  EXPECT_EQ(to_float32(kLargest), kLargest);
  EXPECT_EQ(to_float32(-kLargest), -kLargest);
  EXPECT_EQ(to_float32(1e39), std::numeric_limits<double>::infinity());
  EXPECT_EQ(to_float32(-1e300), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(to_float32(std::nan(""))));
}

TEST(TraceTest, AverageLossIsUndefinedWithoutLabelsOrNumbers) {
  EXPECT_EQ(avg_loss(Trace{.index = "0", .num_labels = 0, .given_avg_loss = 3}), std::nullopt);
  EXPECT_EQ(avg_loss(Trace{.index = "0", .num_labels = 2}), std::nullopt);
}

TEST(TraceTest, TokensAreTheLabelledOnesWithoutTheLast) {
  const Trace trace{.num_labels = 3, .logprob = {{-1, -2, -3}}};
  const auto tokens = token_logprobs(trace);
  EXPECT_EQ(std::vector<double>(tokens.begin(), tokens.end()), (std::vector<double>{-1, -2}));
  EXPECT_EQ(num_tokens(trace), 2);
  EXPECT_EQ(num_tokens({.num_labels = 3}), 2);
  EXPECT_EQ(num_tokens({.num_labels = 3, .logprob = {{-1, -2}}}), 1);  // position 0 is labelled
  for (const Trace& none : {Trace{.num_labels = 0}, Trace{.num_labels = 0, .logprob = {{}}},
                            Trace{.num_labels = 1, .logprob = {{-1}}}}) {
    EXPECT_TRUE(token_logprobs(none).empty());
    EXPECT_EQ(num_tokens(none), 0);
  }
}

TEST(TraceTest, AcceptsArraysOfTheLabelsOrOneFewer) {
  EXPECT_NO_THROW(require_consistent({.num_labels = 2, .logprob = {{-1, -2}}}));
  EXPECT_NO_THROW(require_consistent({.num_labels = 3, .logprob = {{-1, -2}}}));
  EXPECT_NO_THROW(require_consistent({.num_labels = 0}));
  expect_contains(error_of([] {
                    require_consistent({.num_labels = 4, .logprob = {{-1, -2}}});
                  }),
                  "'logprob' does not fit 'num_labels'");
  expect_contains(error_of([] {
                    require_consistent({.num_labels = 1, .logprob = {{-1, -2}}});
                  }),
                  "found 2");
}

TEST(TraceTest, RefusesArraysOfDifferentLengths) {
  expect_contains(error_of([] {
                    require_consistent({.num_labels = 2, .logprob = {{-1, -2}}, .mean = {{-1}}});
                  }),
                  "'mean' has 1 entries but another array has 2");
}

TEST(TraceTest, RefusesNumbersThatCannotBe) {
  expect_contains(error_of([] { require_consistent({.num_labels = -1}); }), "negative");
  expect_contains(error_of([] { require_consistent({.num_labels = 1, .logprob = {{0.5}}}); }),
                  "never positive");
  expect_contains(
      error_of([] { require_consistent({.num_labels = 1, .logprob = {{std::nan("")}}}); }), "NaN");
  expect_contains(error_of([] { require_consistent({.num_labels = 1, .var = {{INFINITY}}}); }),
                  "'var'");
  expect_contains(
      error_of([] { require_consistent({.num_labels = 1, .given_avg_loss = INFINITY}); }),
      "'avg_loss'");
  expect_contains(error_of([] { require_consistent({.num_labels = 2, .given_avg_loss = -1.9}); }),
                  "'avg_loss' is -1.9 (expected a mean of -log p, which is never negative); if it");
  expect_contains(error_of([] { require_consistent({.num_labels = 1, .var = {{-0.5}}}); }),
                  "'var' holds -0.5 at position 0 (expected variances");
  for (double norm : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    expect_contains(error_of([norm] {
                      require_consistent({.num_labels = 2, .grad_norm = {{"2", norm}}});
                    }),
                    "the 'grad_norm' of p = 2");
  }
}

TEST(TraceTest, TheStatedLossIsThatOfTheLogProbabilities) {
  const auto state = [](double loss) {
    require_consistent(  // position 0 is labelled too
        {.num_labels = 4, .logprob = {{-1, -2, -3}}, .given_avg_loss = loss});
  };
  for (const double rounded : {1.5, 1.4999999, 1.49, 1.51}) EXPECT_NO_THROW(state(rounded));
  for (const double other : {2.0, 6.0, 1.5 / std::log(2), 0.0}) {
    expect_contains(error_of([&] { state(other); }), "'avg_loss' contradicts 'logprob'");
  }
  expect_contains(error_of([&] { state(2); }), "(expected about 1.5, the sum of -logprob over");
  // Nothing to compare with.
  EXPECT_NO_THROW(require_consistent({.num_labels = 1, .logprob = {{}}, .given_avg_loss = 2}));
  EXPECT_NO_THROW(require_consistent({.num_labels = 0, .logprob = {{}}, .given_avg_loss = 2}));
}

// The mean of the squares less the square of the mean, in 16 bits.
TEST(TraceTest, AVarianceMayBeNegativeByRounding) {
  EXPECT_NO_THROW(require_consistent({.num_labels = 1, .var = {{-1e-6}}}));
  EXPECT_NO_THROW(require_consistent({.num_labels = 1, .mean = {{-10}}, .var = {{-0.5}}}));
  expect_contains(
      error_of([] { require_consistent({.num_labels = 1, .mean = {{-10}}, .var = {{-5}}}); }),
      "'var' holds -5");
}

}  // namespace
}  // namespace palimpsest::trace
