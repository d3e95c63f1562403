#include "palimpsest/tokenizer/internal/vocabulary.h"

#include <gtest/gtest.h>

namespace palimpsest::tokenizer {
namespace {

TEST(VocabularyTest, FindsBothWays) {
  Vocabulary vocabulary;
  EXPECT_EQ(vocabulary.id_of("a"), -1);
  for (int64_t i = 0; i < 1000; ++i) vocabulary.add("token" + std::to_string(i), 2 * i);
  EXPECT_EQ(vocabulary.size(), 1000);
  for (int64_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(vocabulary.id_of("token" + std::to_string(i)), 2 * i);
    ASSERT_EQ(vocabulary.token_of(2 * i), "token" + std::to_string(i));
    ASSERT_EQ(vocabulary.token_of(2 * i + 1), std::nullopt);
  }
  EXPECT_EQ(vocabulary.id_of("token1000"), -1);
  EXPECT_EQ(vocabulary.token_of(-1), std::nullopt);
}

TEST(VocabularyTest, LargeNumbersTakeNoRoom) {
  Vocabulary vocabulary;
  vocabulary.add("far", UINT32_MAX);
  vocabulary.add("near", 3);
  EXPECT_EQ(vocabulary.token_of(UINT32_MAX), "far");
  EXPECT_EQ(vocabulary.token_of(3), "near");
  EXPECT_EQ(vocabulary.token_of(4), std::nullopt);
}

TEST(VocabularyTest, ATokenAgainGetsTheNewNumber) {
  Vocabulary vocabulary;
  vocabulary.add("a", 1);
  vocabulary.add("a", 2);
  EXPECT_EQ(vocabulary.id_of("a"), 2);
  EXPECT_EQ(vocabulary.token_of(1), std::nullopt);
  vocabulary.add_again("a", 3);
  EXPECT_EQ(vocabulary.id_of("a"), 3);
  EXPECT_EQ(vocabulary.token_of(2), "a");
  EXPECT_EQ(vocabulary.size(), 1);
  EXPECT_EQ(vocabulary.id_count(), 2);
}

}  // namespace
}  // namespace palimpsest::tokenizer
