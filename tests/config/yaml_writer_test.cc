#include "palimpsest/config/internal/yaml_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "palimpsest/config/internal/yaml_reader.h"
#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

TEST(YamlWriterTest, ListsInMapsAreNotIndented) {
  const std::string text = "a:\n- 1\n- b:\n  - 2\n  c: null\n- - 3\n  - []\nd: {}\n";
  EXPECT_EQ(to_yaml(read_yaml(text, "x")), text);
}

TEST(YamlWriterTest, WhatIsWrittenReadsBack) {
  const Value value(
      Value::Map{{"a b", "x: y"},
                 {"", ""},
                 {"multi\nline", "multi\n  line\n"},
                 {"numbers", Value(Value::List{1, 0.5, 1e-7, "1", "1e-7"})},
                 {"null", Value()},
                 {"long", std::string(300, 'x') + " " + std::string(300, 'y') + " z"}});
  EXPECT_EQ(read_yaml(to_yaml(value), "x"), value);
}

TEST(YamlWriterTest, ScalarsAreDocumentsToo) {
  EXPECT_EQ(to_yaml(Value("a")), "a\n...\n");
  EXPECT_EQ(to_yaml(Value("1")), "'1'\n");
  EXPECT_EQ(to_yaml(Value(Value::List{})), "[]\n");
}

TEST(YamlWriterTest, WhatCannotBeResolvedCannotBeWritten) {
  const Value value(Value::Map{{"a", Value::unreadable("it leads to nothing")}});
  expect_contains(error_of([&] { to_yaml(value); }), "it leads to nothing");
  EXPECT_EQ(to_yaml(Value(Value::Map{{"a", "???"}})), "a: ???\n");
}

}  // namespace
}  // namespace palimpsest::config
