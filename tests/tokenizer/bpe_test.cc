#include "palimpsest/tokenizer/internal/bpe.h"

#include <gtest/gtest.h>

#include <map>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "tests/tokenizer/model_tokens.h"

namespace palimpsest::tokenizer {
namespace {

ModelTables tables(const std::vector<std::string>& vocab,
                   std::vector<std::pair<std::string, std::string>> merges) {
  ModelTables result;
  for (const std::string& token : vocab) {
    result.vocab.emplace_back(token, static_cast<int64_t>(result.vocab.size()));
  }
  result.merges = std::move(merges);
  return result;
}

TEST(BpeTest, MergesByRankThenFromTheLeft) {
  const Bpe model({}, tables({"a", "b", "ab", "ba", "aba"}, {{"b", "a"}, {"a", "b"}, {"a", "ba"}}));
  EXPECT_EQ(tokens_of(model, "abab"), (Strings{"aba", "b"}));
  EXPECT_EQ(tokens_of(model, ""), Strings());
}

TEST(BpeTest, UnknownCharacters) {
  const auto vocab = tables({"<unk>", "a", "<0xC3>", "<0xA9>"}, {});
  EXPECT_EQ(tokens_of(Bpe({.unk_token = "<unk>"}, vocab), "axya"),
            (Strings{"a", "<unk>", "<unk>", "a"}));
  EXPECT_EQ(tokens_of(Bpe({.unk_token = "<unk>", .fuse_unk = true}, vocab), "axya"),
            (Strings{"a", "<unk>", "a"}));
  EXPECT_EQ(tokens_of(Bpe({.unk_token = "<unk>", .byte_fallback = true}, vocab), "éa"),
            (Strings{"<0xC3>", "<0xA9>", "a"}));
  EXPECT_EQ(tokens_of(Bpe({}, vocab), "axa"), (Strings{"a", "a"}));
  EXPECT_THROW(tokens_of(Bpe({.unk_token = "none"}, vocab), "x"), Error);
}

TEST(BpeTest, PrefixAndSuffix) {
  const Bpe prefix({.continuing_subword_prefix = "##"},
                   tables({"a", "##a", "##b", "a##x", "ab"}, {{"a", "##b"}}));
  EXPECT_EQ(tokens_of(prefix, "aba"), (Strings{"ab", "##a"}));
  const Bpe suffix({.end_of_word_suffix = "</w>"},
                   tables({"a", "b</w>", "ab</w>"}, {{"a", "b</w>"}}));
  EXPECT_EQ(tokens_of(suffix, "ab"), (Strings{"ab</w>"}));
}

TEST(BpeTest, IgnoringMergesTakesWholeTokens) {
  const auto vocab = tables({"a", "b", "abb"}, {});
  EXPECT_EQ(tokens_of(Bpe({.ignore_merges = true}, vocab), "abb"), (Strings{"abb"}));
  EXPECT_EQ(tokens_of(Bpe({}, vocab), "abb"), (Strings{"a", "b", "b"}));
}

TEST(BpeTest, AMergeNeedsItsTokens) {
  EXPECT_THROW(Bpe({}, tables({"a", "b"}, {{"a", "b"}})), Error);
  EXPECT_THROW(Bpe({}, tables({"a", "ab"}, {{"a", "b"}})), Error);
}

TEST(BpeTest, WordsAreApartOnlyWithoutMergesAcrossSpaces) {
  EXPECT_EQ(Bpe({}, tables({"▁", "a", "▁a"}, {{"▁", "a"}})).word_start(), "▁");
  EXPECT_EQ(Bpe({}, tables({"▁", "a", "a▁"}, {{"a", "▁"}})).word_start(), "");
  EXPECT_EQ(Bpe({}, tables({"▁", "▁▁"}, {{"▁", "▁"}})).word_start(), "▁");
}

// Long pieces go another way (a heap) than short ones (a search): both must do the same. A long
// piece of two parts that cannot merge has the tokens of its parts.
TEST(BpeTest, LongPiecesMergeAsShortOnes) {
  Random random(11);
  std::vector<std::string> vocab = {"a", "b", "c", "|"};
  std::vector<std::pair<std::string, std::string>> merges;
  while (vocab.size() < 40) {
    const std::string left = vocab[random.below(vocab.size())];
    const std::string right = vocab[random.below(vocab.size())];
    if ((left + right).find('|') != std::string::npos || (left + right).size() > 6) continue;
    if (std::find(vocab.begin(), vocab.end(), left + right) != vocab.end()) continue;
    vocab.push_back(left + right);
    merges.emplace_back(left, right);
  }
  const Bpe model({}, tables(vocab, merges));
  for (int round = 0; round < 200; ++round) {
    std::string all;
    Strings expected;
    while (all.size() < 200) {
      std::string part;
      for (uint64_t i = random.below(20); i < 21; ++i) part += "abc"[random.below(3)];
      for (const std::string& token : tokens_of(model, part)) expected.push_back(token);
      expected.push_back("|");
      all += part + "|";
    }
    ASSERT_EQ(tokens_of(model, all), expected) << all;
  }
}

}  // namespace
}  // namespace palimpsest::tokenizer
