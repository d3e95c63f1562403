#include "palimpsest/lab/lab_examples.h"

#include <gtest/gtest.h>

#include "palimpsest/base/file.h"
#include "palimpsest/base/json.h"
#include "tests/lab/tiny.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

Architecture model_of(const Tokenizer& tokenizer, int64_t positions) {
  Architecture architecture = tiny_architecture();
  architecture.vocab_size = tokenizer.vocab_size();
  architecture.max_positions = positions;
  return architecture;
}

TEST(LabExamplesTest, AnswersAndTheEndAreLabelled) {
  const TinyWorld world;
  const Tokenizer tokenizer = Tokenizer::load(world.path() / "tokenizer");
  const std::vector<std::filesystem::path> files = {world.file("forget25"), world.file("general")};
  const std::vector<Example> examples =
      read_examples(files, world.path() / "tokenizer", tokenizer, model_of(tokenizer, 200));
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
  const std::string message = error_of(
      [&] { read_examples(files, world.path() / "tokenizer", tokenizer, model_of(tokenizer, 5)); });
  expect_contains(message, "full.json, example 0");
  expect_contains(message, "at most 5 tokens");
}

TEST(LabExamplesTest, PlainTextIsLabelledFromTheSecondTokenOn) {
  const TinyWorld world;
  const Tokenizer tokenizer = Tokenizer::load(world.path() / "tokenizer");
  write_file(world.path() / "text.jsonl", "{\"text\": \"Hamlet and Macbeth\"}\n");
  const std::vector<std::filesystem::path> files = {world.path() / "text.jsonl"};
  const std::vector<Example> examples =
      read_examples(files, world.path() / "tokenizer", tokenizer, model_of(tokenizer, 200));
  ASSERT_EQ(examples.size(), 1U);
  EXPECT_EQ(examples[0].labels.front(), kIgnoredLabel);
  EXPECT_TRUE(std::equal(examples[0].labels.begin() + 1, examples[0].labels.end(),
                         examples[0].ids.begin() + 1));
}

TEST(LabExamplesTest, QuestionsWithoutAChatTemplateArePlainLines) {
  const TinyWorld world;
  const std::filesystem::path folder = world.path() / "plain";
  make_folder(folder);
  write_file(folder / "tokenizer.json", read_file(world.path() / "tokenizer" / "tokenizer.json"));
  Json config =
      parse_json(read_file(world.path() / "tokenizer" / "tokenizer_config.json"), "config");
  config.erase("chat_template");
  write_file(folder / "tokenizer_config.json", to_text(config));
  const Tokenizer tokenizer = Tokenizer::load(folder);
  const std::vector<std::filesystem::path> files = {world.file("general")};
  const std::vector<Example> examples =
      read_examples(files, folder, tokenizer, model_of(tokenizer, 200));
  EXPECT_EQ(tokenizer.decode(examples[0].prompt_ids), "Question: Who wrote 'Hamlet'?\nAnswer: ");
}

TEST(LabExamplesTest, RefusesTokensThatTheModelDoesNotKnow) {
  const TinyWorld world;
  const Tokenizer tokenizer = Tokenizer::load(world.path() / "tokenizer");
  Architecture small = model_of(tokenizer, 200);
  small.vocab_size = 20;
  const std::vector<std::filesystem::path> files = {world.file("general")};
  expect_contains(
      error_of([&] { read_examples(files, world.path() / "tokenizer", tokenizer, small); }),
      "does not know");
}

}  // namespace
}  // namespace palimpsest::lab
