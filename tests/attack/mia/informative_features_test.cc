#include "palimpsest/attack/internal/mia/informative_features.h"

#include <gtest/gtest.h>

namespace palimpsest::attack {
namespace {

// Texts that are units of their own, half of the forget set.
std::vector<BlindText> half_and_half(const std::vector<std::string>& texts) {
  std::vector<BlindText> result;
  for (size_t i = 0; i < texts.size(); ++i) {
    result.push_back(
        {.is_forget = i < texts.size() / 2, .example = i, .text = &texts[i], .unit = i});
  }
  return result;
}

std::vector<std::string> names_of(const std::vector<InformativeFeature>& features) {
  std::vector<std::string> names;
  for (const InformativeFeature& feature : features)
    names.push_back(feature.side + ": " + feature.name);
  return names;
}

constexpr double kAlpha[] = {-1, -1, 1, 1};
constexpr double kNoLength[] = {0, 0, 0, 0};

TEST(InformativeFeaturesTest, NamesTheWordsOfEachSide) {
  const std::vector<std::string> texts = {"red x", "red y", "blue x", "blue y"};
  const auto informative = informative_features(half_and_half(texts), kAlpha, kNoLength, 100, 8);
  EXPECT_EQ(names_of(informative), (std::vector<std::string>{"holdout: blue", "forget: red"}));
  EXPECT_EQ(informative[0].forget, 0);
  EXPECT_EQ(informative[0].holdout, 2);
  EXPECT_TRUE(informative[0].is_word);
  EXPECT_EQ(informative_features(half_and_half(texts), kAlpha, kNoLength, 100, 1).size(), 1U);
  EXPECT_TRUE(informative_features(half_and_half(texts), kAlpha, kNoLength, 0, 8).empty());
}

// "red" stands in the texts of one unit only, which tell nothing about other units.
TEST(InformativeFeaturesTest, LeavesOutWordsOfOneUnit) {
  const std::vector<std::string> texts = {"red x", "red y", "blue x", "blue y"};
  auto items = half_and_half(texts);
  items[1].unit = items[0].unit;
  EXPECT_EQ(names_of(informative_features(items, kAlpha, kNoLength, 100, 8)),
            (std::vector<std::string>{"holdout: blue"}));
}

// Both words stand on both sides, but only one set has them in this order.
TEST(InformativeFeaturesTest, NamesAPairWhereItsWordsDoNotTell) {
  const std::vector<std::string> texts = {"a b", "a b", "b a", "b a"};
  EXPECT_EQ(names_of(informative_features(half_and_half(texts), kAlpha, kNoLength, 100, 8)),
            (std::vector<std::string>{"forget: a b", "holdout: b a"}));
}

// "old", "old red" and "red" all tell; one of them is enough.
TEST(InformativeFeaturesTest, NamesAWordOncePerSide) {
  const std::vector<std::string> texts = {"old red", "old red", "blue", "blue"};
  EXPECT_EQ(names_of(informative_features(half_and_half(texts), kAlpha, kNoLength, 100, 8)),
            (std::vector<std::string>{"holdout: blue", "forget: old", "forget: red"}));
}

TEST(InformativeFeaturesTest, LeavesOutWordsThatSpeakForTheSetInWhichTheyAreRarer) {
  const std::vector<std::string> texts = {"w", "w", "w", "v"};
  constexpr double kAgainst[] = {1, 1, 1, -9};
  for (const auto& feature :
       informative_features(half_and_half(texts), kAgainst, kNoLength, 100, 8))
    EXPECT_NE(feature.name, "w");
}

TEST(InformativeFeaturesTest, NamesTheLength) {
  const std::vector<std::string> texts = {"x x x x x x", "x x x x x", "x x", "x"};
  constexpr double kLengths[] = {1.5, 0.7, -0.7, -1.5};
  const auto informative = informative_features(half_and_half(texts), kAlpha, kLengths, 100, 8);
  ASSERT_FALSE(informative.empty());
  EXPECT_EQ(informative[0].name, "more than 3 bytes");
  EXPECT_FALSE(informative[0].is_word);
  EXPECT_EQ(informative[0].side, "forget");
  EXPECT_EQ(informative[0].forget, 2);
  EXPECT_EQ(informative[0].holdout, 0);
}

}  // namespace
}  // namespace palimpsest::attack
