#include "palimpsest/config/internal/key_index.h"

#include <gtest/gtest.h>

namespace palimpsest::config {
namespace {

TEST(KeyIndexTest, SetsAsTheMapItselfWould) {
  Value map(Value::Map{{"b", 1}, {"a", 2}});
  KeyIndex index(map);
  index.set("b", 3);
  index.set("c", 4);
  EXPECT_EQ(map, Value(Value::Map{{"b", 3}, {"a", 2}, {"c", 4}}));
  EXPECT_EQ(index.find("c"), map.find("c"));
  EXPECT_EQ(index.find("d"), nullptr);
}

}  // namespace
}  // namespace palimpsest::config
