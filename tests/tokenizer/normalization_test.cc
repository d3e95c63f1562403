#include "palimpsest/tokenizer/internal/normalization.h"

#include <gtest/gtest.h>

#include "palimpsest/base/random.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::tokenizer {
namespace {

std::string normalized(std::string_view text, NormalizationForm form) {
  std::string result;
  for (const Change& change : normalization_changes(text, form)) {
    text::append_utf8(result, change.character);
  }
  return result;
}

TEST(NormalizationTest, ComposesAndDecomposes) {
  EXPECT_EQ(normalized("e\u0301", NormalizationForm::kNfc), "é");
  EXPECT_EQ(normalized("é", NormalizationForm::kNfd), "e\u0301");
  EXPECT_EQ(normalized("ﬁ①", NormalizationForm::kNfkc), "fi1");
  EXPECT_EQ(normalized("ﬁ①", NormalizationForm::kNfc), "ﬁ①");
  EXPECT_EQ(normalized("각", NormalizationForm::kNfkd), "\u1100\u1161\u11A8");
  EXPECT_EQ(normalized("\u1100\u1161\u11A8", NormalizationForm::kNfc), "각");
}

TEST(NormalizationTest, OrdersMarks) {
  EXPECT_EQ(normalized("o\u0308\u0323", NormalizationForm::kNfd), "o\u0323\u0308");
  EXPECT_EQ(normalized("q\u0307\u0323", NormalizationForm::kNfc), "q\u0323\u0307");
}

TEST(NormalizationTest, CharactersAfterUnicode9StayAsTheyAre) {
  EXPECT_EQ(normalized("\u32FF", NormalizationForm::kNfkc), "\u32FF");
  EXPECT_EQ(normalized("\U00011935\U00011930", NormalizationForm::kNfc), "\U00011935\U00011930");
}

TEST(NormalizationTest, ChangesTellWhatBecameOfTheOldCharacters) {
  const auto changes = normalization_changes("ae\u0301", NormalizationForm::kNfc);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].change, 0);
  EXPECT_EQ(changes[1].change, -1);
}

TEST(NormalizationTest, SurelyNormalizedTextDoesNotChange) {
  Random random(5);
  const std::pair<char32_t, char32_t> ranges[] = {
      {0x20, 0x17F},    {0x400, 0x590},   {0x2000, 0x20CF}, {0x3001, 0x30FF},
      {0x4E00, 0x9FFF}, {0xAC00, 0xD7A3}, {0xFF00, 0xFFEF}, {0x1F300, 0x1FAFF}};
  int sure = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (uint64_t i = random.below(6); i < 6; ++i) {
      const auto& [first, last] = ranges[random.below(std::size(ranges))];
      text::append_utf8(text, static_cast<char32_t>(first + random.below(last - first + 1)));
    }
    for (const auto form : {NormalizationForm::kNfc, NormalizationForm::kNfd,
                            NormalizationForm::kNfkc, NormalizationForm::kNfkd}) {
      if (!is_surely_normalized(text, form)) continue;
      ++sure;
      ASSERT_EQ(normalized(text, form), text);
    }
  }
  EXPECT_GT(sure, 1000);
}

}  // namespace
}  // namespace palimpsest::tokenizer
