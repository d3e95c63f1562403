#include "palimpsest/text/internal/porter_stemmer.h"

#include <gtest/gtest.h>

#include <string>

#include "palimpsest/base/error.h"
#include "tests/support/golden.h"

namespace palimpsest::text {
namespace {

TEST(PorterStemmerTest, ExamplesOfTheHeader) {
  EXPECT_EQ(porter_stem("relational"), "relat");
  EXPECT_EQ(porter_stem("skies"), "sky");
}

TEST(PorterStemmerTest, FollowsPortersSteps) {
  EXPECT_EQ(porter_stem("caresses"), "caress");
  EXPECT_EQ(porter_stem("agreed"), "agre");
  EXPECT_EQ(porter_stem("hopping"), "hop");
  EXPECT_EQ(porter_stem("falling"), "fall");
  EXPECT_EQ(porter_stem("filing"), "file");
  EXPECT_EQ(porter_stem("happy"), "happi");
  EXPECT_EQ(porter_stem("triplicate"), "triplic");
  EXPECT_EQ(porter_stem("adoption"), "adopt");
  EXPECT_EQ(porter_stem("cease"), "ceas");
  EXPECT_EQ(porter_stem("controll"), "control");
}

TEST(PorterStemmerTest, HasTheChangesOfNltk) {
  EXPECT_EQ(porter_stem("dying"), "die");          // irregular
  EXPECT_EQ(porter_stem("dies"), "die");           // four letters
  EXPECT_EQ(porter_stem("flies"), "fli");          // five
  EXPECT_EQ(porter_stem("died"), "die");           // four letters
  EXPECT_EQ(porter_stem("spied"), "spi");          // five
  EXPECT_EQ(porter_stem("enjoy"), "enjoy");        // y after a vowel stays
  EXPECT_EQ(porter_stem("spy"), "spi");            // no vowel is needed before it
  EXPECT_EQ(porter_stem("geology"), "geolog");     // the l of -logi counts as the stem's
  EXPECT_EQ(porter_stem("joyfully"), "joy");       // -fulli
  EXPECT_EQ(porter_stem("rationally"), "ration");  // -alli, then step 2 again
}

TEST(PorterStemmerTest, LeavesVeryShortWordsAlone) {
  EXPECT_EQ(porter_stem(""), "");
  EXPECT_EQ(porter_stem("s"), "s");
  EXPECT_EQ(porter_stem("is"), "is");
  EXPECT_EQ(porter_stem("gas"), "ga");
}

TEST(PorterStemmerTest, LowersUpperCase) {
  EXPECT_EQ(porter_stem("SKIES"), "sky");
  EXPECT_EQ(porter_stem("OF"), "of");
}

TEST(PorterStemmerTest, RefusesBytesOutsideAscii) {
  EXPECT_THROW(porter_stem("caf\u00e9s"), Error);
  EXPECT_THROW(porter_stem("\xFFing"), Error);
}

TEST(PorterStemmerTest, LongRunsOfYTakeLinearTime) {
  // In a run of y consonants and vowels alternate. Finding that out anew for each letter would take
  // 10¹³ steps here.
  const size_t size = 1 << 22;
  EXPECT_EQ(porter_stem(std::string(size, 'y')), std::string(size - 1, 'y') + "i");
}

TEST(PorterStemmerGoldenTest, EqualsNltk) {
  const Json golden = read_golden("text/porter.json.gz");
  const Json& stems = golden.at("stems");
  EXPECT_GE(stems.size(), 5000U);
  for (const auto& [word, stem] : stems.items()) {
    EXPECT_EQ(porter_stem(word), stem.get<std::string>()) << "of " << word;
  }
}

}  // namespace
}  // namespace palimpsest::text
