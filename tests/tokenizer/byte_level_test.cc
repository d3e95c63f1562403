#include "palimpsest/tokenizer/internal/byte_level.h"

#include <gtest/gtest.h>

namespace palimpsest::tokenizer {
namespace {

TEST(ByteLevelTest, EveryByteHasItsOwnCharacter) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char32_t c = byte_level_character(static_cast<unsigned char>(byte));
    EXPECT_EQ(byte_of_character(c), static_cast<unsigned char>(byte));
  }
  EXPECT_EQ(byte_level_character(' '), U'Ġ');
  EXPECT_EQ(byte_level_character('\n'), U'Ċ');
  EXPECT_EQ(byte_of_character(U' '), std::nullopt);
  EXPECT_EQ(byte_of_character(U'中'), std::nullopt);
}

TEST(ByteLevelTest, MapsTextAndBack) {
  NormalizedString text("é\n", true);
  map_to_byte_level(text);
  EXPECT_EQ(text.text(), "Ã©Ċ");
  EXPECT_EQ(text.spans().front(), (ByteSpan{0, 2}));
  EXPECT_EQ(bytes_of_byte_level(text.text()), "é\n");
  EXPECT_EQ(bytes_of_byte_level("中"), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::tokenizer
