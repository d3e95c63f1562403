#include "palimpsest/tokenizer/internal/charsmap.h"

#include <gtest/gtest.h>

#include "palimpsest/base/error.h"

namespace palimpsest::tokenizer {
namespace {

TEST(CharsmapTest, RefusesWhatIsNoMap) {
  for (const char* text : {"", "A", "????", "AAAA", "AAAAAA==", "/////w==", "BAAAAA=="}) {
    EXPECT_THROW(Charsmap::from_base64(text), Error) << text;
  }
}

TEST(CharsmapTest, UnitsThatPointOutsideDoNotMatch) {
  // One unit (4 bytes of trie) whose offset points far away, and no replacements.
  const Charsmap map = Charsmap::from_base64("BAAAAP///38=");
  EXPECT_EQ(map.transform("a"), std::nullopt);
  EXPECT_EQ(map.transform(""), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::tokenizer
