#include "palimpsest/attack/internal/mia/collapse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace palimpsest::attack {
namespace {

// Texts of `length` tokens that count on from 0 modulo `vocabulary`, each token with this log p.
TraceScores counting_set(int64_t texts, int64_t length, double logprob, int64_t vocabulary = 10) {
  TraceScores set;
  for (int64_t i = 0; i < texts; ++i) {
    std::vector<int64_t> label;
    for (int64_t t = 0; t < length; ++t) label.push_back((i + t) % vocabulary);
    for (int64_t token : label) ++set.argmax_counts[token];
    set.examples.push_back({std::to_string(i), 0});
    set.facts.push_back({.num_labels = length,
                         .label = label,
                         .logprob_sum = logprob * static_cast<double>(length),
                         .logprob_count = length});
  }
  return set;
}

TEST(CollapseTest, UnigramsLeaveTheTextOutAndReserveRoomForUnseenTokens) {
  // Two forget texts "0 1", 50 holdout texts "0": c(0) = 52, c(1) = 2, N = 54, V = 10 by the
  // argmax.
  TraceScores forget = counting_set(2, 2, -1);
  forget.facts[1].label = forget.facts[0].label;
  TraceScores holdout = counting_set(50, 1, -1);
  for (ExampleFacts& facts : holdout.facts) facts.label = {{0}};
  const Collapse found = detect_collapse(forget, holdout);
  ASSERT_TRUE(found.unigram_logprob);
  EXPECT_NEAR(*found.unigram_logprob, std::log((52 - 1 + 1) / (54.0 - 1 + 10)), 1e-12);
  EXPECT_NEAR(*found.mean_logprob, -1, 1e-12);
}

TEST(CollapseTest, AModelThatPredictsWorseThanUnigramsHasCollapsed) {
  // Ten equally frequent tokens: unigrams reach about -log 10 = -2.30.
  const Collapse healthy = detect_collapse(counting_set(20, 10, -9), counting_set(20, 10, -1.5));
  EXPECT_FALSE(healthy.collapsed());
  EXPECT_EQ(healthy.evidence(), "");
  // It is the holdout set that counts: the forget set may be forgotten.
  const Collapse broken = detect_collapse(counting_set(20, 10, -1), counting_set(20, 10, -4));
  EXPECT_TRUE(broken.below_unigram());
  EXPECT_FALSE(broken.one_argmax());
  EXPECT_EQ(
      broken.evidence(),
      "The model predicts the holdout texts worse than token frequencies do: mean log p -4.00 "
      "per token, -2.30 by a unigram model of the same texts.");
}

TEST(CollapseTest, DroppedLabelsGiveTheSame) {
  TraceScores sets[] = {counting_set(20, 13, -1), counting_set(20, 12, -2.5)};
  sets[1].facts[3].logprob_sum.reset();  // counts for the frequencies alone
  sets[1].facts[4].label = {{7, 7, 7, 8}};
  sets[1].argmax_counts = {{3, 180}, {4, 20}};
  const Collapse expected = detect_collapse(sets[0], sets[1]);
  for (const size_t most : {size_t{7}, size_t{20}}) {  // some of them, and all
    for (TraceScores& set : sets) {
      for (size_t i = 0; i < most; ++i) {
        if (!set.facts[i].dropped) drop_content(set.facts[i], set.dropped);
      }
    }
    const Collapse found = detect_collapse(sets[0], sets[1]);
    EXPECT_NEAR(*found.unigram_logprob, *expected.unigram_logprob, 1e-13);
    EXPECT_EQ(found.mean_logprob, expected.mean_logprob);
    EXPECT_EQ(found.argmax_label_share, expected.argmax_label_share);
    EXPECT_EQ(found.evidence(), expected.evidence());
  }
}

TEST(CollapseTest, AModelThatAlwaysAnswersTheSameHasCollapsed) {
  TraceScores holdout = counting_set(20, 10, -1.5);
  holdout.argmax_counts = {{3, 180}, {4, 20}};
  const Collapse found = detect_collapse(counting_set(20, 10, -1.5), holdout);
  EXPECT_TRUE(found.one_argmax());
  EXPECT_EQ(found.argmax_token, 3);
  EXPECT_DOUBLE_EQ(*found.argmax_share, 0.9);
  EXPECT_DOUBLE_EQ(*found.argmax_label_share, 0.1);
  EXPECT_EQ(found.evidence(),
            "The model's first choice is the same token, id 3, at 90% of the holdout positions.");
  holdout.argmax_counts = {{3, 179}, {4, 21}};
  EXPECT_FALSE(detect_collapse(counting_set(20, 10, -1.5), holdout).collapsed());
}

TEST(CollapseTest, TheSameRightAnswerEverywhereIsNoCollapse) {
  TraceScores holdout = counting_set(100, 1, -0.01);
  for (ExampleFacts& facts : holdout.facts) facts.label = {{3}};
  holdout.argmax_counts = {{3, 100}};
  const Collapse found = detect_collapse(counting_set(20, 10, -1.5), holdout);
  EXPECT_DOUBLE_EQ(*found.argmax_share, 1);
  EXPECT_FALSE(found.one_argmax());
}

TEST(CollapseTest, SaysNothingWithoutLabelsLogprobsOrEnoughPositions) {
  const TraceScores forget = counting_set(20, 10, -9);
  TraceScores holdout = counting_set(20, 10, -9);
  holdout.argmax_counts.clear();
  for (ExampleFacts& facts : holdout.facts) facts.label.reset();
  EXPECT_FALSE(detect_collapse(forget, holdout).mean_logprob);
  EXPECT_FALSE(detect_collapse(forget, holdout).argmax_share);
  holdout = counting_set(20, 10, -9);
  for (ExampleFacts& facts : holdout.facts) facts.logprob_sum.reset();
  EXPECT_FALSE(detect_collapse(forget, holdout).mean_logprob);
  EXPECT_FALSE(detect_collapse(forget, counting_set(49, 1, -9)).collapsed());
  EXPECT_TRUE(detect_collapse(forget, counting_set(50, 1, -9)).collapsed());
  EXPECT_FALSE(detect_collapse({}, {}).collapsed());
}

}  // namespace
}  // namespace palimpsest::attack
