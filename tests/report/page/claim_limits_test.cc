#include "palimpsest/report/internal/page/claim_limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace palimpsest::report {
namespace {

std::string all_limits(const ClaimFacts& facts) {
  return fmt::format("{}", fmt::join(claim_limits(facts), "\n"));
}

TEST(ClaimLimitsTest, SayWhatTheAnswerIsAbout) {
  const std::string text = all_limits({.answer = attack::Answer{},
                                       .forget = 120,
                                       .holdout = 90,
                                       .attacks = {"loss", "min_k"},
                                       .texts_p_value = 0.76});
  expect_contains(text, "these 120 records to be forgotten, compared with 90 records");
  expect_contains(text, "(loss, min_k)");
  expect_contains(text, "Every record counts as independent");
  expect_contains(text, "(p = 0.760)");
  EXPECT_EQ(text.find("training run"), std::string::npos);
}

TEST(ClaimLimitsTest, SayWhatClustersAndABaselineChange) {
  attack::Answer answer{.against_baseline = true};
  answer.clusters.key = "author";
  const std::string text = all_limits({.answer = answer, .attacks = {"loss"}});
  expect_contains(text, "belong together (author) count as one");
  expect_contains(text, "Another training run of either");
  expect_contains(text, "If the texts of the two sets differ");
}

TEST(ClaimLimitsTest, WithoutAClaimThereIsNoLimit) {
  EXPECT_TRUE(claim_limits({}).empty());
}

}  // namespace
}  // namespace palimpsest::report
