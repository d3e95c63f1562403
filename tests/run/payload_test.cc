#include "palimpsest/run/internal/payload.h"

#include <gtest/gtest.h>

namespace palimpsest::run {
namespace {

model::SequenceScores scores_of(double x) {
  return {.logprob = {-x, -2 * x},
          .mean = {x, 0.1},
          .var = {0, x},
          .argmax = {3, -1},
          .gradient_norms = {x, 2 * x}};
}

TEST(PayloadTest, ScoresComeBackBitByBit) {
  std::vector<model::SequenceScores> scores;
  ASSERT_TRUE(from_payload(to_payload(std::vector{scores_of(0.1), scores_of(1e-300)}), scores));
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_EQ(scores[0].logprob, scores_of(0.1).logprob);
  EXPECT_EQ(scores[1].logprob, scores_of(1e-300).logprob);
  EXPECT_EQ(scores[1].mean, scores_of(1e-300).mean);
  EXPECT_EQ(scores[1].var, scores_of(1e-300).var);
  EXPECT_EQ(scores[1].argmax, scores_of(1e-300).argmax);
  EXPECT_EQ(scores[1].gradient_norms, scores_of(1e-300).gradient_norms);
}

TEST(PayloadTest, GenerationsComeBack) {
  std::vector<model::Generation> generations;
  ASSERT_TRUE(from_payload(
      to_payload(std::vector{model::Generation{.ids = {4, 5}, .stopped = true, .forward_tokens = 7},
                             model::Generation{}}),
      generations));
  ASSERT_EQ(generations.size(), 2U);
  EXPECT_EQ(generations[0].ids, (std::vector<int64_t>{4, 5}));
  EXPECT_TRUE(generations[0].stopped);
  EXPECT_EQ(generations[0].forward_tokens, 7);
  EXPECT_TRUE(generations[1].ids.empty());
  EXPECT_FALSE(generations[1].stopped);
}

// Whatever is cut off or claimed, reading ends and says no.
TEST(PayloadTest, OtherBytesAreRefused) {
  const std::string whole = to_payload(std::vector{scores_of(0.5)});
  std::vector<model::SequenceScores> scores;
  std::vector<model::Generation> generations;
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(from_payload(whole.substr(0, length), scores)) << length;
  }
  EXPECT_FALSE(from_payload(whole + "x", scores));
  EXPECT_FALSE(from_payload(std::string(8, '\xff'), scores));
  EXPECT_FALSE(from_payload(std::string(8, '\xff'), generations));
  std::string large;
  put_number(large, 1);
  put_number(large, uint64_t{1} << 60);
  EXPECT_FALSE(from_payload(large, scores));
  EXPECT_FALSE(from_payload(large, generations));
}

}  // namespace
}  // namespace palimpsest::run
