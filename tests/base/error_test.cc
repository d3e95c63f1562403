#include "palimpsest/base/error.h"

#include <gtest/gtest.h>

#include <cerrno>

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

TEST(ErrorTest, AFullDiskIsTheMachinesFailure) {
  for (const int code : {ENOSPC, EFBIG, EMFILE, ENFILE, ENOMEM}) {
    EXPECT_TRUE(is_machine_failure(code)) << code;
  }
  EXPECT_FALSE(is_machine_failure(EACCES));
  EXPECT_FALSE(is_machine_failure(0));
  EXPECT_EQ(SystemError("no room", ENOSPC).code(), ENOSPC);
  EXPECT_EQ(SystemError("unknown").code(), 0);
}

TEST(ErrorTest, CheckThrowsABugNotAnInputError) {
  EXPECT_THROW(PALIMPSEST_CHECK(1 + 1 == 3), BugError);
  EXPECT_NO_THROW(PALIMPSEST_CHECK(1 + 1 == 2));
}

}  // namespace
}  // namespace palimpsest
