#include "palimpsest/tokenizer/internal/unigram.h"

#include <gtest/gtest.h>

#include "palimpsest/base/error.h"
#include "tests/tokenizer/model_tokens.h"

namespace palimpsest::tokenizer {
namespace {

ModelTables unigram_tables(const std::vector<std::pair<std::string, double>>& entries) {
  ModelTables result;
  result.vocab_is_list = true;
  for (const auto& [token, score] : entries) {
    result.vocab.emplace_back(token, static_cast<int64_t>(result.vocab.size()));
    result.scores.push_back(score);
  }
  return result;
}

const ModelTables kExample =
    unigram_tables({{"<unk>", 0}, {"a", -1}, {"b", -1}, {"ab", -1.5}, {"abb", -9}});

TEST(UnigramTest, TakesTheBestSum) {
  const Unigram model({.unk_id = 0}, kExample);
  EXPECT_EQ(tokens_of(model, "abb"), (Strings{"ab", "b"}));
  EXPECT_EQ(tokens_of(model, ""), Strings());
}

TEST(UnigramTest, NeighbouringUnknownsAreOne) {
  const Unigram model({.unk_id = 0}, kExample);
  EXPECT_EQ(tokens_of(model, "axéa"), (Strings{"a", "xé", "a"}));
}

TEST(UnigramTest, FallsBackToBytesIfAllAreThere) {
  const Unigram model({.unk_id = 0, .byte_fallback = true},
                      unigram_tables({{"<unk>", 0}, {"a", -1}, {"<0xC3>", -5}, {"<0xA9>", -5}}));
  EXPECT_EQ(tokens_of(model, "aé"), (Strings{"a", "<0xC3>", "<0xA9>"}));
  EXPECT_EQ(tokens_of(model, "ax"), (Strings{"a", "x"}));
}

TEST(UnigramTest, WithoutUnknownTokenItIsAnError) {
  EXPECT_THROW(tokens_of(Unigram({}, unigram_tables({{"a", -1}})), "b"), Error);
  EXPECT_THROW(Unigram({.unk_id = 5}, unigram_tables({{"a", -1}})), Error);
}

}  // namespace
}  // namespace palimpsest::tokenizer
