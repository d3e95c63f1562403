#include "palimpsest/attack/internal/attacks.h"

#include <gtest/gtest.h>

namespace palimpsest::attack {
namespace {

TEST(ReferenceScoreTest, IsTheDifferenceOfTheAverageLosses) {
  const trace::Trace trace{.index = "0", .num_labels = 2, .logprob = {{-1, -2}}};
  const trace::Trace reference{.index = "0", .num_labels = 2, .given_avg_loss = 4};
  EXPECT_EQ(reference_score(trace, reference), -2.5);  // 1.5 - 4: a member
  EXPECT_EQ(reference_score(reference, trace), 2.5);
  EXPECT_EQ(reference_score(trace, trace), 0);
}

TEST(ReferenceScoreTest, IsUndefinedWithoutLabels) {
  const trace::Trace empty{.index = "0", .num_labels = 0};
  EXPECT_EQ(reference_score(empty, empty), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::attack
