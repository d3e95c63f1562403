#include "palimpsest/attack/internal/mia/text_features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace palimpsest::attack {
namespace {

stat::SparseRows features(const std::vector<std::string>& texts, size_t max_bytes = 1000,
                          int threads = 1) {
  std::vector<const std::string*> pointers;
  for (const std::string& text : texts) pointers.push_back(&text);
  return text_features(pointers, max_bytes, threads);
}

TEST(TextFeaturesTest, CountsWordsAndCharacters) {
  // Words: ab, cd, "ab cd"; characters: three of 3, two of 4, one of 5; then length and constant.
  const stat::SparseRows rows = features({"ab cd"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.row(0).size(), 3U + 6 + 2);
  std::set<uint32_t> columns;
  double squares = 0;
  for (const stat::SparseEntry& entry : rows.row(0).first(9)) {
    columns.insert(entry.column);
    EXPECT_LT(entry.column, 2 * kHashedColumns);
    squares += static_cast<double>(entry.value) * static_cast<double>(entry.value);
  }
  EXPECT_EQ(columns.size(), 9U);
  EXPECT_NEAR(squares, 2, 1e-6);  // each kind has length 1
  EXPECT_LT(rows.row(0)[2].column, kHashedColumns);
  EXPECT_GE(rows.row(0)[3].column, kHashedColumns);
  EXPECT_EQ(rows.row(0)[9].value, 0);
  EXPECT_EQ(rows.row(0)[10].value, 1);
}

TEST(TextFeaturesTest, RepeatedWordsCountByTheirLogarithm) {
  const stat::SparseRows rows = features({"x x x y"});
  // Columns: x, y, "x x", "x y"; x counts 1 + log 3, "x x" 1 + log 2.
  std::multiset<float> values;
  for (const stat::SparseEntry& entry : rows.row(0).first(4)) values.insert(entry.value);
  const double norm = std::sqrt(2 + std::pow(1 + std::log(3), 2) + std::pow(1 + std::log(2), 2));
  EXPECT_NEAR(*values.rbegin(), (1 + std::log(3)) / norm, 1e-6);
  EXPECT_NEAR(*values.begin(), 1 / norm, 1e-6);
}

TEST(TextFeaturesTest, CharactersAreNotBytes) {
  EXPECT_EQ(features({"äöü"}).row(0).size(), 1U + 1 + 2);  // one word, one n-gram of three
}

TEST(TextFeaturesTest, LengthsAreStandardised) {
  const stat::SparseRows rows = features({"a", "aaa", "aaaaaaaaa"});
  double sum = 0;
  double squares = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    const auto entry = rows.row(r)[rows.row(r).size() - 2];
    EXPECT_EQ(entry.column, kLengthColumn);
    sum += static_cast<double>(entry.value);
    squares += static_cast<double>(entry.value) * static_cast<double>(entry.value);
  }
  EXPECT_NEAR(sum, 0, 1e-6);
  EXPECT_NEAR(squares, 3, 1e-5);
}

TEST(TextFeaturesTest, WordsHaveTheSameWeightsByName) {
  const std::vector<WeightedWord> words = weighted_words("X x, x y", 1000);
  ASSERT_EQ(words.size(), 4U);
  EXPECT_EQ(words[0].word, "x");
  EXPECT_EQ(words[1].word, "x x");
  EXPECT_EQ(words[2].word, "x y");
  EXPECT_EQ(words[3].word, "y");
  const double norm = std::sqrt(2 + std::pow(1 + std::log(3), 2) + std::pow(1 + std::log(2), 2));
  EXPECT_NEAR(words[0].value, (1 + std::log(3)) / norm, 1e-12);
  EXPECT_NEAR(words[3].value, 1 / norm, 1e-12);
  EXPECT_EQ(weighted_words("one two", 3).size(), 1U);
  EXPECT_TRUE(weighted_words("...", 1000).empty());
}

TEST(TextFeaturesTest, AnyBytesAndEmptyTexts) {
  const stat::SparseRows rows = features({"", "\xff\x80\x80", std::string("\0\0\0\0", 4)});
  EXPECT_EQ(rows.row(0).size(), 2U);
  EXPECT_EQ(rows.size(), 3U);
}

TEST(TextFeaturesTest, LooksOnlyAtTheBeginningOfLongTexts) {
  const stat::SparseRows rows = features({std::string(100'000, 'x') + "y"}, 10);
  EXPECT_EQ(rows.row(0).size(), 1U + 3 + 2);
}

TEST(TextFeaturesTest, ThreadsDoNotChangeTheRows) {
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i) texts.push_back("text number " + std::to_string(i * i));
  const stat::SparseRows one = features(texts, 1000, 1);
  const stat::SparseRows four = features(texts, 1000, 4);
  ASSERT_EQ(one.entries.size(), four.entries.size());
  EXPECT_EQ(one.starts, four.starts);
  for (size_t i = 0; i < one.entries.size(); ++i) {
    EXPECT_EQ(one.entries[i].column, four.entries[i].column);
    EXPECT_EQ(one.entries[i].value, four.entries[i].value);
  }
}

}  // namespace
}  // namespace palimpsest::attack
