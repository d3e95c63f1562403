#include "palimpsest/config/internal/merge.h"

#include <gtest/gtest.h>

#include "palimpsest/config/internal/yaml_reader.h"
#include "tests/support/expect_error.h"

namespace palimpsest::config {
namespace {

const ConfigContext kNothingAround;

Value yaml(const std::string& text) {
  return read_yaml(text, "x.yaml");
}

TEST(MergeTest, MapsKeyByKey) {
  Value root = yaml("a: {b: 1, c: [1, 2]}\nd: 1\n");
  merge(root, yaml("a: {c: [3], e: \"???\"}\nd: ???\nf: ???\n"), kNothingAround);
  EXPECT_EQ(root, yaml("a: {b: 1, c: [3], e: \"???\"}\nd: 1\nf: ???\n"));
}

TEST(MergeTest, LargeMapsMergeInTimeProportionalToTheirSize) {
  Value root{Value::Map{}};
  Value source{Value::Map{}};
  for (int i = 0; i < 100'000; ++i) source.as_map().emplace_back("key" + std::to_string(i), i);
  merge(root, source, kNothingAround);
  merge(root, source, kNothingAround);
  EXPECT_EQ(root, source);
}

TEST(MergeTest, ListsAndMapsDoNotMix) {
  Value root = yaml("a: {b: {c: 1}}\n");
  expect_contains(
      error_of([&] { merge(root, yaml("\na: {b: [1]}\n"), kNothingAround); }),
      "x.yaml:2: 'a.b' cannot be merged (expected a map, as at x.yaml:1, found a list)");
}

TEST(MergeTest, AFileThatIsAListIsNoConfiguration) {
  Value root = yaml("a: 1\n");
  EXPECT_EQ(
      error_of([&] { merge(root, yaml("- a\n- b\n"), kNothingAround); }),
      "x.yaml:1: the file is a list and not a map of keys (expected key: value); put it under "
      "a key, or into the folder of a group");
}

TEST(MergeTest, UpdateChangesOnlyWhatIsThere) {
  Value root = yaml("a: {b: 1}\nl: [1, {c: 2}]\n");
  update(root, {.path = "a.b", .value = 2}, kNothingAround);
  update(root, {.path = "l.1.c", .value = 3}, kNothingAround);
  EXPECT_EQ(root, yaml("a: {b: 2}\nl: [1, {c: 3}]\n"));
  expect_contains(error_of([&] { update(root, {.path = "a.x", .value = 2}, kNothingAround); }),
                  "there is no key 'x' (found the keys b)");
  expect_contains(error_of([&] { update(root, {.path = "l.7", .value = 2}, kNothingAround); }),
                  "the list has 2 items");
}

TEST(MergeTest, UpdateAddsWhereItMay) {
  Value root = yaml("a: 1\n");
  update(root, {.path = "a.b.c", .value = 2, .new_keys = NewKeys::kAdd}, kNothingAround);
  EXPECT_EQ(root, yaml("a: {b: {c: 2}}\n"));
}

TEST(MergeTest, EmbeddingBuildsThePath) {
  EXPECT_EQ(embed(Value(1), "a.b"), yaml("a: {b: 1}\n"));
  EXPECT_EQ(embed(yaml("a: 1\n"), ""), yaml("a: 1\n"));
}

}  // namespace
}  // namespace palimpsest::config
