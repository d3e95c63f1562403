#include "palimpsest/attack/internal/mia/overlap.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace palimpsest::attack {
namespace {

using Facts = std::vector<ExampleFacts>;

Facts texts(const std::vector<std::string>& all) {
  Facts facts;
  for (const std::string& text : all) facts.push_back({.num_labels = 3, .text = text});
  return facts;
}

TEST(OverlapTest, NothingIsShared) {
  const Overlap overlap = find_overlap(texts({"a", "b"}), texts({"c"}));
  EXPECT_EQ(overlap.shared_holdout, 0);
  EXPECT_EQ(overlap.shared_forget, 0);
  EXPECT_EQ(overlap.share, 0);
}

TEST(OverlapTest, TheSameFileTwice) {
  const Overlap overlap = find_overlap(texts({"a", "b"}), texts({"b", "a"}));
  EXPECT_EQ(overlap.shared_holdout, 2);
  EXPECT_EQ(overlap.shared_forget, 2);
  EXPECT_GE(overlap.share, kOverlapRefused);
}

TEST(OverlapTest, CaseAndWhiteSpaceDoNotCount) {
  const Overlap overlap =
      find_overlap(texts({"Born in Lima.", "other"}), texts({" born  in\nlima. ", "a", "other"}));
  EXPECT_EQ(overlap.shared_holdout, 2);
}

TEST(OverlapTest, TheShareIsTheLargerOfBoth) {
  // One of the two forget texts is three of the four holdout texts.
  const Overlap overlap = find_overlap(texts({"a", "b"}), texts({"a", "a", "A", "c"}));
  EXPECT_EQ(overlap.shared_holdout, 3);
  EXPECT_EQ(overlap.shared_forget, 1);
  EXPECT_DOUBLE_EQ(overlap.share, 0.75);
  EXPECT_DOUBLE_EQ(find_overlap(texts({"a", "a", "A", "c"}), texts({"a", "b"})).share, 0.75);
}

TEST(OverlapTest, TheSameAnswerToAnotherQuestionIsNotShared) {
  Facts forget = texts({"Yes.", "Yes."});
  Facts holdout = texts({"Yes.", "Yes."});
  forget[0].prompt_hash = 1;
  forget[1].prompt_hash = 2;
  holdout[0].prompt_hash = 2;
  holdout[1].prompt_hash = 3;
  const Overlap overlap = find_overlap(forget, holdout);
  EXPECT_EQ(overlap.shared_holdout, 1);
  EXPECT_EQ(overlap.shared_forget, 1);
  // Where one side does not say what was asked, the texts decide.
  forget[0].prompt_hash.reset();
  EXPECT_EQ(find_overlap(forget, holdout).shared_holdout, 2);
}

TEST(OverlapTest, TokenIdsStandInForMissingTexts) {
  Facts forget{{.num_labels = 2, .label = {{1, 2}}}, {.num_labels = 2, .label = {{3, 4}}}};
  Facts holdout{{.num_labels = 2, .label = {{1, 2}}}, {.num_labels = 2, .label = {{1, 258}}}};
  EXPECT_EQ(find_overlap(forget, holdout).shared_holdout, 1);
}

TEST(OverlapTest, WhatSaysNothingIsNotShared) {
  EXPECT_EQ(find_overlap(texts({"", " "}), texts({"", "\n"})).shared_holdout, 0);
  EXPECT_EQ(find_overlap(Facts(2), Facts(2)).shared_holdout, 0);
  EXPECT_EQ(find_overlap({}, {}).share, 0);
}

}  // namespace
}  // namespace palimpsest::attack
