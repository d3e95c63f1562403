#include "palimpsest/config/internal/key_path.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

using Keys = std::vector<std::string>;

TEST(KeyPathTest, DotsAndBrackets) {
  EXPECT_EQ(split_key("a"), (Keys{"a"}));
  EXPECT_EQ(split_key("a.b"), (Keys{"a", "b"}));
  EXPECT_EQ(split_key("a[b].c[0]"), (Keys{"a", "b", "c", "0"}));
  EXPECT_EQ(split_key("[a].b"), (Keys{"a", "b"}));
  EXPECT_EQ(split_key("[a.b]"), (Keys{"a.b"}));
  EXPECT_EQ(split_key(".a"), (Keys{"", "a"}));
  EXPECT_EQ(split_key(""), (Keys{""}));
}

TEST(KeyPathTest, LengthIsBounded) {
  expect_contains(error_of([] { split_key(std::string(1000, '.')); }), "longer than 200");
}

}  // namespace
}  // namespace palimpsest::config
