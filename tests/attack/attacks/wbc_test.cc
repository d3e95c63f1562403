#include <gtest/gtest.h>

#include "tests/attack/score_of.h"

namespace palimpsest::attack {
namespace {

trace::Trace of(std::vector<double> logprob) {
  const auto count = static_cast<int64_t>(logprob.size());
  return {.index = "0", .num_labels = count, .logprob = std::move(logprob)};
}

TEST(WbcScoreTest, CountsTheWindowsThatTheReferenceFindsNoLessLikely) {
  // Differences +1, -2, +3 and -100 at the last token, which does not count. Windows of 2: sums -1
  // and +1, one of two positive. Windows of 3 and, cut to 3, of 4 … 40: sum 2, positive.
  const trace::Trace trace = of({-1, -4, -1, -101});
  const trace::Trace reference = of({-2, -2, -4, -1});
  EXPECT_DOUBLE_EQ(*score_of("wbc", trace, reference), 1 - (0.5 + 9 * 1.0) / 10);
  // The other way round every positive sum is negative.
  EXPECT_DOUBLE_EQ(*score_of("wbc", reference, trace), 1 - (0.5 + 9 * 0.0) / 10);
}

TEST(WbcScoreTest, GoesFromZeroForAMemberToOne) {
  EXPECT_EQ(score_of("wbc", of({-1, -1, -1}), of({-2, -2, -2})), 0);
  EXPECT_EQ(score_of("wbc", of({-2, -2, -2}), of({-1, -1, -1})), 1);
  // Equal sums are no sign of membership.
  EXPECT_EQ(score_of("wbc", of({-0.1, -0.7, -0.3}), of({-0.1, -0.7, -0.3})), 1);
}

TEST(WbcScoreTest, OneTokenIsOneWindow) {
  EXPECT_EQ(score_of("wbc", of({-1, -9}), of({-2, -1})), 0);
  EXPECT_EQ(score_of("wbc", of({-2, -1}), of({-1, -9})), 1);
}

TEST(WbcScoreTest, IsUndefinedWithoutATokenBeforeTheLast) {
  EXPECT_EQ(score_of("wbc", of({-1}), of({-1})), std::nullopt);
  EXPECT_EQ(score_of("wbc", of({}), of({})), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::attack
