#include "palimpsest/tokenizer/internal/word_cache.h"

#include <gtest/gtest.h>

namespace palimpsest::tokenizer {
namespace {

TEST(WordCacheTest, RemembersUntilItIsFull) {
  WordCache cache;
  EXPECT_FALSE(cache.find("a", hash_bytes("a")));
  for (int64_t i = 0; i < 100000; ++i) {
    const std::string word = "word" + std::to_string(i);
    const ModelToken token{i, 0, 4};
    cache.insert(word, hash_bytes(word), {&token, 1});
    const auto found = cache.find(word, hash_bytes(word));
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 1U);
    ASSERT_EQ((*found)[0].id, i);
  }
  EXPECT_FALSE(cache.find("word0", hash_bytes("word0")));
}

TEST(WordCacheTest, LongWordsAreNotKept) {
  WordCache cache;
  const std::string word(WordCache::kMaxWordBytes + 1, 'x');
  cache.insert(word, hash_bytes(word), {});
  EXPECT_FALSE(cache.find(word, hash_bytes(word)));
}

}  // namespace
}  // namespace palimpsest::tokenizer
