#include "palimpsest/lab/lab_examples.h"

#include <gtest/gtest.h>

#include "tests/lab/tiny.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

TEST(LabExamplesTest, AnswersAndTheEndAreLabelled) {
  const TinyWorld world;
  const Tokenizer tokenizer = Tokenizer::load(world.path() / "tokenizer");
  const std::vector<std::filesystem::path> files = {world.file("forget25"), world.file("general")};
  const std::vector<Example> examples =
      read_examples(files, world.path() / "tokenizer", tokenizer, 200);
  ASSERT_EQ(examples.size(), 6U + 132U);
  const Example& first = examples[6];  // of the second file
  std::vector<int64_t> labelled;
  for (const int64_t label : first.labels) {
    if (label != kIgnoredLabel) labelled.push_back(label);
  }
  EXPECT_EQ(tokenizer.decode(labelled), "William Shakespeare<|end|>");
  EXPECT_EQ(tokenizer.decode(first.prompt_ids), "<|user|>Who wrote 'Hamlet'?<|assistant|>");
  EXPECT_GE(longest_of(examples), std::ssize(first.ids));
}

TEST(LabExamplesTest, SaysWhichExampleIsTooLong) {
  const TinyWorld world;
  const Tokenizer tokenizer = Tokenizer::load(world.path() / "tokenizer");
  const std::vector<std::filesystem::path> files = {world.file("full")};
  const std::string message =
      error_of([&] { read_examples(files, world.path() / "tokenizer", tokenizer, 5); });
  expect_contains(message, "full.json, example 0");
  expect_contains(message, "at most 5 tokens");
}

}  // namespace
}  // namespace palimpsest::lab
