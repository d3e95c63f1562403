#include "palimpsest/data/preparation.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::data {
namespace {

constexpr const char* kTokenizer = PALIMPSEST_EXAMPLES_DIR "/tiny-tokenizer";
constexpr const char* kQuestions = PALIMPSEST_EXAMPLES_DIR "/data/questions.jsonl";

TEST(DataPreparationTest, QuestionsGoThroughTheChatTemplateWhereThereIsOne) {
  const DataPreparation preparation({.group_keys = {"topic"}}, kTokenizer);
  ASSERT_EQ(preparation.choices().size(), 1U);
  expect_contains(preparation.choices()[0], "chat template");
  const PreparedFile file = preparation.prepare(kQuestions);
  ASSERT_EQ(file.examples.size(), 3U);  // the second question has two answers
  EXPECT_EQ(file.examples[2].alternative, 1);
  EXPECT_EQ(file.examples[0].groups.at("topic"), "places");
  // The end of the question's turn equals the padding token.
  ASSERT_EQ(file.notes.size(), 1U);
  expect_contains(file.notes[0], "3 of 3 examples hold the padding token");
}

TEST(DataPreparationTest, AMaximumLengthWithoutEffectIsNamed) {
  EXPECT_TRUE(DataPreparation({}, kTokenizer).notes().empty());
  const DataPreparation chat({.max_length = 3}, kTokenizer);
  ASSERT_EQ(chat.notes().size(), 1U);
  expect_contains(chat.notes()[0], "no effect under a chat template");
  EXPECT_TRUE(DataPreparation({.prompt_template = TemplateKind::kTags, .max_length = 3}, kTokenizer)
                  .notes()
                  .empty());
}

TEST(DataPreparationTest, TheFullMaskHidesNothing) {
  const DataPreparation hiding({}, kTokenizer);
  EXPECT_EQ(hiding.masked_token(), hiding.tokenizer().pad_id());
  const DataPreparation full({.attention_mask = AttentionMask::kFull}, kTokenizer);
  EXPECT_EQ(full.masked_token(), std::nullopt);
  EXPECT_TRUE(full.prepare(kQuestions).notes.empty());
}

TEST(DataPreparationTest, ATextKeyMeansCompletion) {
  const DataPreparation preparation({.text_key = "answer", .max_length = 2}, kTokenizer);
  ASSERT_EQ(preparation.choices().size(), 1U);
  expect_contains(preparation.choices()[0], "texts to complete");
  const TempFolder folder;
  const PreparedFile file =
      preparation.prepare(folder.write("d.jsonl", R"({"answer": "a small town near"})"));
  ASSERT_EQ(file.examples.size(), 1U);
  ASSERT_EQ(file.notes.size(), 1U);
  expect_contains(file.notes[0], "1 of 1 examples are as long as the maximum length allows");
}

TEST(DataPreparationTest, TheTimeOfATemplateIsAnOption) {
  const TempFolder folder;
  std::filesystem::copy(kTokenizer, folder.path(), std::filesystem::copy_options::recursive);
  folder.write("chat_template.jinja", "{{ strftime_now('%Y') }}{{ messages[0].content }}");
  EXPECT_NE(error_of([&] { DataPreparation({}, folder.path()).prepare(kQuestions); }), "");
  PreparationOptions options;
  options.chat.now = {.year = 2024, .month = 7, .day = 26};
  EXPECT_EQ(DataPreparation(options, folder.path()).prepare(kQuestions).examples.size(), 3U);
}

TEST(DataPreparationTest, RefusesOptionsThatContradictEachOther) {
  const auto refusal = [](const PreparationOptions& options) {
    return error_of([&] { const DataPreparation preparation(options, kTokenizer); });
  };
  expect_contains(refusal({.text_key = "answer", .few_shot = kQuestions}),
                  "data of questions and answers");
  expect_contains(refusal({.max_length = 0}), "less than one token");
  expect_contains(refusal({.prompt_template = TemplateKind::kTags, .system_prompt = "Be brief."}),
                  "needs the chat template");
}

TEST(DataPreparationTest, KindsHaveNames) {
  for (const char* name : {"auto", "qa", "completion", "pretraining"})
    EXPECT_EQ(name_of(dataset_kind_named(name)), name);
  for (const char* name : {"auto", "chat", "tags", "none"})
    EXPECT_EQ(name_of(template_kind_named(name)), name);
  for (const char* name : {"ne_pad", "full"}) EXPECT_EQ(name_of(attention_mask_named(name)), name);
  expect_contains(error_of([] { dataset_kind_named("chat"); }), "qa, completion");
}

}  // namespace
}  // namespace palimpsest::data
