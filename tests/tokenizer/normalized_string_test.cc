#include "palimpsest/tokenizer/internal/normalized_string.h"

#include <gtest/gtest.h>

namespace palimpsest::tokenizer {
namespace {

using Spans = std::vector<ByteSpan>;

TEST(NormalizedStringTest, EveryByteKnowsItsCharacter) {
  const NormalizedString text("aé", true);
  EXPECT_EQ(text.spans(), (Spans{{0, 1}, {1, 3}, {1, 3}}));
  EXPECT_TRUE(NormalizedString("aé", false).spans().empty());
}

TEST(NormalizedStringTest, PrependedTextSharesThePlaceOfTheFirstCharacter) {
  NormalizedString text("éa", true);
  text.prepend(">>");
  EXPECT_EQ(text.text(), ">>éa");
  EXPECT_EQ(text.spans(), (Spans{{0, 2}, {0, 2}, {0, 2}, {0, 2}, {2, 3}}));
}

TEST(NormalizedStringTest, ReplacedTextPointsToTheLastCharacterOfTheOld) {
  NormalizedString text("a  b", true);
  text.replace({{1, 3}}, "__");
  EXPECT_EQ(text.text(), "a__b");
  EXPECT_EQ(text.spans(), (Spans{{0, 1}, {2, 3}, {2, 3}, {3, 4}}));
}

TEST(NormalizedStringTest, FilterAndMapKeepPlaces) {
  NormalizedString text("-a-b-", true);
  text.filter([](char32_t c) { return c != '-'; });
  text.map([](char32_t c) { return c == 'a' ? U'é' : c; });
  EXPECT_EQ(text.text(), "éb");
  EXPECT_EQ(text.spans(), (Spans{{1, 2}, {1, 2}, {3, 4}}));
}

TEST(NormalizedStringTest, CutsAndSlices) {
  NormalizedString text("  ab ", true);
  text.cut(2, 4);
  NormalizedString slice;
  slice.assign_slice(text, 1, 2);
  EXPECT_EQ(slice.text(), "b");
  EXPECT_EQ(slice.spans(), (Spans{{3, 4}}));
}

TEST(NormalizedStringTest, UntrackedGivesTheSameText) {
  for (const bool tracked : {false, true}) {
    NormalizedString text("x y z", tracked);
    text.replace({{1, 2}, {3, 4}}, "▁");
    text.prepend("▁");
    EXPECT_EQ(text.text(), "▁x▁y▁z");
  }
}

}  // namespace
}  // namespace palimpsest::tokenizer
