#include "palimpsest/lab/internal/lab_examples.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "tests/lab/tiny.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

model::Architecture model_of(const tokenizer::Tokenizer& tokenizer, int64_t positions) {
  model::Architecture architecture = tiny_architecture();
  architecture.vocab_size = tokenizer.vocab_size();
  architecture.max_positions = positions;
  return architecture;
}

TEST(LabExamplesTest, AnswersAndTheEndAreLabelled) {
  const TinyData tiny;
  const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::load(tiny.path() / "tokenizer");
  const std::vector<std::filesystem::path> files = {tiny.file("forget25"), tiny.file("general")};
  const std::vector<data::Example> examples =
      read_examples(files, tiny.path() / "tokenizer", tokenizer, model_of(tokenizer, 200));
  ASSERT_EQ(examples.size(), 6U + 132U);
  const data::Example& first = examples[6];  // of the second file
  std::vector<int64_t> labelled;
  for (const int64_t label : first.labels) {
    if (label != kIgnoredLabel) labelled.push_back(label);
  }
  EXPECT_EQ(tokenizer.decode(labelled), "William Shakespeare<|end|>");
  EXPECT_EQ(tokenizer.decode(first.prompt_ids), "<|user|>Who wrote 'Hamlet'?<|assistant|>");
  EXPECT_GE(longest_length(examples), std::ssize(first.ids));
}

TEST(LabExamplesTest, SaysWhichExampleIsTooLong) {
  const TinyData tiny;
  const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::load(tiny.path() / "tokenizer");
  const std::vector<std::filesystem::path> files = {tiny.file("full")};
  const std::string message = error_of(
      [&] { read_examples(files, tiny.path() / "tokenizer", tokenizer, model_of(tokenizer, 5)); });
  expect_contains(message, "full.json, example 0");
  expect_contains(message, "at most 5 tokens");
}

TEST(LabExamplesTest, PlainTextIsLabelledFromTheSecondTokenOn) {
  const TinyData tiny;
  const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::load(tiny.path() / "tokenizer");
  write_file(tiny.path() / "text.jsonl", "{\"text\": \"Hamlet and Macbeth\"}\n");
  const std::vector<std::filesystem::path> files = {tiny.path() / "text.jsonl"};
  const std::vector<data::Example> examples =
      read_examples(files, tiny.path() / "tokenizer", tokenizer, model_of(tokenizer, 200));
  ASSERT_EQ(examples.size(), 1U);
  EXPECT_EQ(examples[0].labels.front(), kIgnoredLabel);
  EXPECT_TRUE(std::equal(examples[0].labels.begin() + 1, examples[0].labels.end(),
                         examples[0].ids.begin() + 1));
}

TEST(LabExamplesTest, QuestionsWithoutAChatTemplateArePlainLines) {
  const TinyData tiny;
  const std::filesystem::path folder = tiny.path() / "plain";
  make_folder(folder);
  write_file(folder / "tokenizer.json", read_file(tiny.path() / "tokenizer" / "tokenizer.json"));
  Json config =
      parse_json(read_file(tiny.path() / "tokenizer" / "tokenizer_config.json"), "config");
  config.erase("chat_template");
  write_file(folder / "tokenizer_config.json", to_text(config));
  const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::load(folder);
  const std::vector<std::filesystem::path> files = {tiny.file("general")};
  const std::vector<data::Example> examples =
      read_examples(files, folder, tokenizer, model_of(tokenizer, 200));
  EXPECT_EQ(tokenizer.decode(examples[0].prompt_ids), "Question: Who wrote 'Hamlet'?\nAnswer: ");
}

TEST(LabExamplesTest, RefusesTokensThatTheModelDoesNotKnow) {
  const TinyData tiny;
  const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::load(tiny.path() / "tokenizer");
  model::Architecture small = model_of(tokenizer, 200);
  small.vocab_size = 20;
  const std::vector<std::filesystem::path> files = {tiny.file("general")};
  expect_contains(
      error_of([&] { read_examples(files, tiny.path() / "tokenizer", tokenizer, small); }),
      "does not know");
}

}  // namespace
}  // namespace palimpsest::lab
