#include "palimpsest/attack/internal/mia/shared_words.h"

#include <gtest/gtest.h>

#include "tests/attack/score_sets.h"

namespace palimpsest::attack {
namespace {

std::vector<SetTexts> pointers(const std::vector<std::vector<std::string>>& sets) {
  std::vector<SetTexts> result(sets.size());
  for (size_t s = 0; s < sets.size(); ++s) {
    for (const std::string& text : sets[s]) result[s].push_back(&text);
  }
  return result;
}

// `authors` blocks of `size` texts that name their author.
std::vector<std::string> authors(uint64_t seed, int64_t authors, int64_t size,
                                 const std::string& name) {
  Random random(seed);
  std::vector<std::string> texts;
  for (int64_t i = 0; i < authors * size; ++i)
    texts.push_back(random_text(random, 8) + " " + name + std::to_string(i / size));
  return texts;
}

TEST(SharedWordsTest, FindsAuthorsInFileOrder) {
  const std::vector<std::vector<std::string>> sets = {authors(1, 12, 5, "Vasquez"),
                                                      authors(2, 8, 5, "Okoye")};
  const std::vector<int64_t> sizes = {2, 4, 5, 10, 20};
  const auto found = test_shared_words(pointers(sets), sizes, {.permutations = 199});
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->p_value, 1.0 / 200);
  EXPECT_GT(found->share, 0.75);  // four of five neighbours have one author
  EXPECT_LT(found->expected, found->share - 0.3);
  EXPECT_EQ(found->word, "okoye0");  // all names are shared alike: the first
  EXPECT_EQ(found->word_texts, 5);
  EXPECT_EQ(found->block_size, 5);
}

TEST(SharedWordsTest, RandomOrderIsNoSign) {
  std::vector<std::vector<std::string>> sets = {authors(1, 12, 5, "Vasquez"),
                                                authors(2, 8, 5, "Okoye")};
  Random random(4);
  for (auto& set : sets) {
    for (size_t i = set.size(); i > 1; --i) std::swap(set[i - 1], set[random.below(i)]);
  }
  const auto found = test_shared_words(pointers(sets), {}, {.permutations = 199});
  ASSERT_TRUE(found);
  EXPECT_GT(found->p_value, 0.05);
  EXPECT_EQ(found->block_size, 0);
}

TEST(SharedWordsTest, WordsOfManyTextsDoNotCount) {
  // "odd" and "even" stand in half of the texts each; every other word stands in one text.
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) texts.push_back((i < 20 ? "odd w" : "even w") + std::to_string(i));
  const std::vector<std::vector<std::string>> sets = {texts};
  EXPECT_FALSE(test_shared_words(pointers(sets), {}, {.permutations = 99}));
}

TEST(SharedWordsTest, MissingTextsShareNothing) {
  EXPECT_FALSE(test_shared_words(std::vector<SetTexts>{SetTexts(20, nullptr), {}}, {}, {}));
  EXPECT_FALSE(test_shared_words({}, {}, {}));
}

}  // namespace
}  // namespace palimpsest::attack
