// What attacks make of texts of one and of two tokens.

#include <gtest/gtest.h>

#include "tests/attack/score_of.h"

namespace palimpsest::attack {
namespace {

// One labelled token is the last one, so token-wise scores have nothing to look at; of two equal
// ones one counts.
TEST(ScoresTest, OfOneAndOfTwoTokens) {
  const trace::Trace one{
      .index = "0", .text = "a", .num_labels = 1, .logprob = {{-2}}, .mean = {{-1}}, .var = {{1}}};
  EXPECT_EQ(score_of("loss", one), 2);
  EXPECT_EQ(score_of("min_k:k=0.2", one), 0);
  EXPECT_EQ(score_of("min_k_plus_plus:k=0.2", one), 0);
  EXPECT_EQ(score_of("zlib", one), 2.0 / 9);
  trace::Trace two = one;
  two.num_labels = 2;
  two.logprob = {{-2, -2}};
  two.mean = {{-1, -1}};
  two.var = {{1, 1}};
  EXPECT_EQ(score_of("loss", two), 2);
  EXPECT_EQ(score_of("min_k:k=0.2", two), 2);
  EXPECT_EQ(score_of("min_k_plus_plus:k=0.2", two), 1);
  EXPECT_EQ(score_of("zlib", two), 2.0 / 9);
  EXPECT_EQ(score_of("surp:k=0.4:entropy=2", two), 2);
}

}  // namespace
}  // namespace palimpsest::attack
