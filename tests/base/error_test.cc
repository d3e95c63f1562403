#include "palimpsest/base/error.h"

#include <gtest/gtest.h>

namespace palimpsest {
namespace {

TEST(ErrorTest, SaysWhereWhatExpectedFoundAndHint) {
  const Error error({.what = "the key is missing",
                     .where = "a.json:3",
                     .expected = "y",
                     .found = "x",
                     .hint = "add it"});
  EXPECT_STREQ(error.what(), "a.json:3: the key is missing (expected y, found x); add it");
}

TEST(ErrorTest, LocatedPutsThePlaceInFront) {
  EXPECT_STREQ(Error("too short").located("a.json").what(), "a.json: too short");
  EXPECT_STREQ(Error({.what = "too short", .where = "line 2"}).located("a.json").what(),
               "a.json: line 2: too short");
}

TEST(ErrorTest, CheckThrowsABugNotAnInputError) {
  EXPECT_THROW(PALIMPSEST_CHECK(1 + 1 == 3), BugError);
  EXPECT_NO_THROW(PALIMPSEST_CHECK(1 + 1 == 2));
}

}  // namespace
}  // namespace palimpsest
