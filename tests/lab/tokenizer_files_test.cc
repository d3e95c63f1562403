#include "palimpsest/lab/internal/tokenizer_files.h"

#include <gtest/gtest.h>

#include "palimpsest/jinja/chat_template.h"
#include "palimpsest/lab/lab_data.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::lab {
namespace {

tokenizer::TokenizerTexts texts_of(int64_t vocab_size) {
  return train_tokenizer(tokenizer_texts(make_lab_data({.seed = 3, .authors = 30})), vocab_size);
}

TEST(TokenizerFilesTest, EveryTextComesBack) {
  const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::from_texts(texts_of(600), "test");
  EXPECT_EQ(tokenizer.vocab_size(), 600);
  for (const char* text :
       {"Where was the author born?", "", " two  spaces\n", "žluťoučký 🐎 it's 1987"}) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text).ids), text);
  }
}

TEST(TokenizerFilesTest, FrequentWordsAreOneToken) {
  const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::from_texts(texts_of(600), "test");
  EXPECT_EQ(tokenizer.encode(" born").ids.size(), 1U);
  EXPECT_EQ(tokenizer.encode(" xqz").ids.size(), 4U);
}

TEST(TokenizerFilesTest, SpecialTokensAreNotText) {
  const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::from_texts(texts_of(300), "test");
  ASSERT_TRUE(tokenizer.eos_id() && tokenizer.pad_id());
  EXPECT_NE(*tokenizer.eos_id(), *tokenizer.pad_id());
  EXPECT_TRUE(tokenizer.is_special(*tokenizer.eos_id()));
  EXPECT_EQ(tokenizer.encode("<|end|>").ids, std::vector<int64_t>{*tokenizer.eos_id()});
}

TEST(TokenizerFilesTest, TheChatTemplateKeepsQuestionAndAnswerApart) {
  const TempFolder folder;
  write_tokenizer(texts_of(300), folder.path() / "tokenizer");
  const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::load(folder.path() / "tokenizer");
  const jinja::ChatTemplate chat = jinja::load_chat_template(folder.path() / "tokenizer");
  jinja::ChatOptions options;
  options.special_tokens["eos_token"] = *tokenizer.special_token("eos_token");
  EXPECT_EQ(chat.render_text({{"user", "Who?"}, {"assistant", "Me."}}, options),
            "<|user|>Who?<|assistant|>Me.<|end|>");
  options.add_generation_prompt = true;
  EXPECT_EQ(chat.render_text({{"system", "Be brief."}, {"user", "Who?"}}, options),
            "<|system|>Be brief.<|user|>Who?<|assistant|>");
}

TEST(TokenizerFilesTest, RefusesImpossibleSizes) {
  expect_contains(error_of([] { texts_of(min_vocab_size() - 1); }), "out of range");
  expect_contains(error_of([] { texts_of(20000); }), "16384");
}

}  // namespace
}  // namespace palimpsest::lab
