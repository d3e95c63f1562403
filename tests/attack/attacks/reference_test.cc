#include <gtest/gtest.h>

#include "tests/attack/score_of.h"

namespace palimpsest::attack {
namespace {

TEST(ReferenceScoreTest, IsTheDifferenceOfTheAverageLosses) {
  const trace::Trace trace{.index = "0", .num_labels = 2, .logprob = {{-1, -2}}};
  const trace::Trace reference{.index = "0", .num_labels = 2, .given_avg_loss = 4};
  EXPECT_EQ(score_of("reference", trace, reference), -2.5);  // 1.5 - 4: a member
  EXPECT_EQ(score_of("reference", reference, trace), 2.5);
  EXPECT_EQ(score_of("reference", trace, trace), 0);
}

TEST(ReferenceScoreTest, IsUndefinedWithoutLabels) {
  const trace::Trace empty{.index = "0", .num_labels = 0};
  EXPECT_EQ(score_of("reference", empty, empty), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::attack
