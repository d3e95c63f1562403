#include "palimpsest/lab/internal/bpe_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

constexpr int64_t kBytes = 256;

std::vector<std::string> learned(const std::vector<std::string>& texts, int64_t merges) {
  const Bpe bpe = train_bpe(texts, kBytes + merges);
  return {bpe.tokens.begin() + kBytes, bpe.tokens.end()};
}

TEST(BpeTrainerTest, StartsFromTheBytes) {
  const Bpe bpe = train_bpe({}, kBytes + 10);
  EXPECT_EQ(std::ssize(bpe.tokens), kBytes);
  EXPECT_TRUE(bpe.merges.empty());
  EXPECT_EQ(bpe.tokens['a'], "a");
  EXPECT_EQ(bpe.tokens[' '], "Ġ");
}

TEST(BpeTrainerTest, JoinsTheMostFrequentPairFirst) {
  // "an" occurs five times, "na" four times, "ba" twice. Then "b an", "an an" and "an a" occur
  // twice each, and b has the smallest number.
  EXPECT_EQ(learned({"banana", "banana", "an"}, 2), (std::vector<std::string>{"an", "ban"}));
}

TEST(BpeTrainerTest, EqualPairsAreTakenInTheOrderOfTheirTokens) {
  EXPECT_EQ(learned({"xy xy", "ab ab"}, 1), (std::vector<std::string>{"ab"}));
}

TEST(BpeTrainerTest, OverlappingPairsCountOnce) {
  // aaa holds the pair twice, but it can be joined only once.
  const Bpe bpe = train_bpe(std::vector<std::string>{"aaa", "aaa"}, kBytes + 2);
  EXPECT_EQ(bpe.tokens[kBytes], "aa");
  EXPECT_EQ(bpe.tokens[kBytes + 1], "aaa");
}

TEST(BpeTrainerTest, NeverJoinsAcrossWords) {
  for (const std::string& token : learned({"one two", "one two", "one two"}, 50)) {
    EXPECT_EQ(token.find("Ġ", 1), std::string::npos) << token;
  }
}

TEST(BpeTrainerTest, StopsWhereNothingOccursTwice) {
  EXPECT_TRUE(learned({"abcdef"}, 5).empty());
}

TEST(BpeTrainerTest, TheOrderOfTheTextsDoesNotMatter) {
  std::vector<std::string> texts = {"the cat sat", "the dog sat", "a cat and a dog", "where"};
  const std::vector<std::string> once = learned(texts, 20);
  std::ranges::reverse(texts);
  EXPECT_EQ(learned(texts, 20), once);
}

TEST(BpeTrainerTest, RefusesWhatIsNotUtf8) {
  expect_contains(error_of([] { train_bpe(std::vector<std::string>{"a\xFF"}, kBytes); }), "UTF-8");
}

}  // namespace
}  // namespace palimpsest::lab
