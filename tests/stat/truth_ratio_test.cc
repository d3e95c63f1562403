#include "palimpsest/stat/internal/truth_ratio.h"

#include <gtest/gtest.h>

#include "palimpsest/base/error.h"

namespace palimpsest::stat {
namespace {

TEST(TruthRatioTest, TheFormsOfTheTwoAggregators) {
  EXPECT_EQ(truth_ratio_form(4, ""), 4);
  EXPECT_EQ(truth_ratio_form(4, "true_better"), 0);
  EXPECT_EQ(truth_ratio_form(0.25, "true_better"), 0.75);
  EXPECT_EQ(truth_ratio_form(0.25, "closer_to_1_better"), 0.25);
  EXPECT_DOUBLE_EQ(truth_ratio_form(4, "closer_to_1_better"), 1 / (4 + 1e-10));
  EXPECT_THROW(truth_ratio_form(4, "prob_mean"), Error);
}

}  // namespace
}  // namespace palimpsest::stat
