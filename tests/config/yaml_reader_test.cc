#include "palimpsest/config/internal/yaml_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

std::string yaml_refusal(const std::string& text) {
  return error_of([&] { read_yaml(text, "x.yaml"); });
}

TEST(YamlReaderTest, ValuesKnowTheirLine) {
  const Value value = read_yaml("a: 1\nb:\n  - x\n  - {c: y}\n", "x.yaml");
  EXPECT_EQ(value.at("a").location(), "x.yaml:1");
  EXPECT_EQ(value.at("b").as_list()[1].at("c").location(), "x.yaml:4");
}

TEST(YamlReaderTest, ErrorsNameFileAndLine) {
  EXPECT_EQ(yaml_refusal("a: 1\nb: 2\na: 3\n"),
            "x.yaml:3: the key 'a' occurs twice; remove one of the two");
  expect_contains(yaml_refusal("1: a\n'1': b\n"), "x.yaml:2: the key '1' occurs twice");
  expect_contains(yaml_refusal("a: [1\nb: 2\n"), "x.yaml:2: the text is not valid YAML");
  expect_contains(yaml_refusal("a: 1\nb: !x 2\n"), "x.yaml:2: the tag does not fit");
  expect_contains(yaml_refusal("a: 1\nb: 99999999999999999999\n"), "x.yaml:2: ");
  expect_contains(yaml_refusal("a: 1\n---\nb: 2\n"), "more than one document");
  expect_contains(yaml_refusal("a: 1\nb: \xff\n"), "x.yaml:2: the text is not valid UTF-8");
  expect_contains(yaml_refusal(std::string("a: 1\nb: \0\n", 10)),
                  "x.yaml:2: the text holds the control");
  expect_contains(yaml_refusal("a:\n  null: 1\n"), "x.yaml:2: a key is not a text");
  expect_contains(yaml_refusal("a: 1\n? {b: c}\n: d\n"), "x.yaml:2: a key is not a text");
}

TEST(YamlReaderTest, QuotationMarksMustBeClosed) {
  expect_contains(yaml_refusal("a: 1\né: 'open\nb: 2\n"),
                  "x.yaml:2: the quotation mark ' is not closed");
  expect_contains(yaml_refusal("a: 'it''s\n"), "is not closed");
  EXPECT_EQ(read_yaml("é: 'it''s'\nb: \"a\\\"b\"\n", "x").at("b").as_text(), "a\"b");
}

TEST(YamlReaderTest, AliasesAreCopies) {
  const Value value = read_yaml("a: &x {b: [1, 2]}\nc: *x\nd: *x\n", "x.yaml");
  EXPECT_EQ(value.at("c"), value.at("a"));
  EXPECT_EQ(value.at("d"), value.at("a"));
  expect_contains(yaml_refusal("a: &x [*x]\n"), "an alias is inside the value that it names");
}

TEST(YamlReaderTest, BombsAreRefusedBeforeTheyExpand) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j ? ", *a" : "*a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  expect_contains(yaml_refusal(bomb), "more than 100000 values");
}

TEST(YamlReaderTest, DepthIsBounded) {
  expect_contains(yaml_refusal(std::string(100'000, '[')), "x.yaml:1: ");
  expect_contains(yaml_refusal(std::string(250, '[') + std::string(250, ']')), "nested deeper");
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  expect_contains(yaml_refusal(deep), "nested deeper");
}

TEST(YamlReaderTest, QuotedLineBreaksAreKept) {
  const auto text = [](const std::string& yaml) { return read_yaml(yaml, "t").at("k").as_text(); };
  EXPECT_EQ(text("k: '\n\n  '\n"), "\n");
  EXPECT_EQ(text("k: \"\n\n\n \"\n"), "\n\n");
  EXPECT_EQ(text("k: '\n  '\n"), " ");
  EXPECT_EQ(text("k: ''\n"), "");
}

}  // namespace
}  // namespace palimpsest::config
