#include "palimpsest/eval/internal/generation_args.h"

#include <gtest/gtest.h>

#include "tests/eval/setup.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

GenerationArgs read_args(const std::string& json) {
  return read_generation_args(parameter_of(Json::parse(json), "generation_args"));
}

TEST(GenerationArgsTest, ReadsWhatTheConfigurationsHave) {
  const GenerationArgs args = read_args(R"({"do_sample": false, "top_p": null, "temperature": null,
    "max_new_tokens": 200, "use_cache": true, "stopwords": ["\n\n", "\nQuestion"]})");
  EXPECT_EQ(args.max_new_tokens, 200);
  EXPECT_FALSE(args.sample);
  EXPECT_EQ(args.top_p, 1);
  EXPECT_EQ(args.stopwords, (std::vector<std::string>{"\n\n", "\nQuestion"}));
  EXPECT_EQ(read_args("{}"), GenerationArgs());
  EXPECT_NE(describe(args), describe(read_args(R"({"max_new_tokens": 200})")));
  // What greedy decoding ignores does not count.
  EXPECT_EQ(describe(read_args(R"({"temperature": 0.5})")), describe(read_args("{}")));
}

TEST(GenerationArgsTest, RefusesWhatWouldChangeTheText) {
  const std::string message = error_of([] { read_args(R"({"num_beams": 4})"); });
  expect_contains(message, "num_beams");
  expect_contains(message, "test.yaml:1");
  expect_contains(message, "max_new_tokens");
  EXPECT_EQ(read_args(R"({"num_beams": 1})"), GenerationArgs());
  expect_contains(error_of([] { read_args(R"({"max_new_tokens": 0})"); }), "max_new_tokens is 0");
  expect_contains(error_of([] { read_args(R"({"stopwords": [""]})"); }), "stop word is empty");
  expect_contains(error_of([] { read_args(R"({"do_sample": "maybe"})"); }), "true or false");
}

TEST(GenerationArgsTest, CutsTheTextAtTheFirstStopWord) {
  const tokenizer::Tokenizer tokenizer =
      tokenizer::Tokenizer::load(PALIMPSEST_EXAMPLES_DIR "/tiny-tokenizer");
  const auto ids =
      tokenizer.encode("In the river near the town", {.add_special_tokens = false}).ids;
  EXPECT_EQ(generated_text(ids, {}, tokenizer), "In the river near the town");
  EXPECT_EQ(generated_text(ids, {.stopwords = {"town", " near"}}, tokenizer), "In the river");
  std::vector<int64_t> ended = ids;
  ended.push_back(*tokenizer.eos_id());
  EXPECT_EQ(generated_text(ended, {}, tokenizer), "In the river near the town");
  EXPECT_EQ(generated_text({}, {}, tokenizer), "");
}

TEST(GenerationArgsTest, TheModelHasItsSay) {
  const tokenizer::Tokenizer tokenizer =
      tokenizer::Tokenizer::load(PALIMPSEST_EXAMPLES_DIR "/tiny-tokenizer");
  model::ModelInfo info;
  info.generation = {.eos_ids = {2, 9}, .repetition_penalty = 1.1};
  const model::GenerateOptions options = generate_options({}, info, tokenizer, 2, 7);
  EXPECT_EQ(options.eos_ids, (std::vector<int64_t>{2, 9}));
  EXPECT_EQ(options.repetition_penalty, 1.1);
  EXPECT_EQ(options.masked_token, 2);
  EXPECT_FALSE(options.should_stop);
  GenerationArgs own;
  own.repetition_penalty = 1;
  own.stopwords = {"town"};
  const model::GenerateOptions with_own = generate_options(own, info, tokenizer, std::nullopt, 7);
  EXPECT_EQ(with_own.repetition_penalty, 1);
  const auto ids = tokenizer.encode("a town", {.add_special_tokens = false}).ids;
  EXPECT_TRUE(with_own.should_stop(ids));
  EXPECT_FALSE(with_own.should_stop(std::span(ids).first(1)));
}

}  // namespace
}  // namespace palimpsest::eval
