#include "palimpsest/model/request_check.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/expect_error.h"

namespace palimpsest::model {
namespace {

ModelInfo small_info() {
  ModelInfo info;
  info.vocab_size = 10;
  info.max_positions = 4;
  info.source = "checkpoint";
  return info;
}

std::string sequence_refusal(const Sequence& bad) {
  const std::vector<Sequence> sequences = {{{1, 2}, {1, 2}}, bad};
  return error_of([&] { check_sequences(sequences, small_info()); });
}

std::string prompt_refusal(const Prompt& bad) {
  const std::vector<Prompt> prompts = {{.ids = {1}}, bad};
  return error_of([&] { check_prompts(prompts, {}, small_info()); });
}

std::string options_refusal(const GenerateOptions& options) {
  return error_of([&] { check_prompts({}, options, small_info()); });
}

TEST(RequestCheckTest, AcceptsWhatFits) {
  const std::vector<Sequence> sequences = {{{}, {}}, {{0, 9, 3, 4}, {-100, 9, -100, 0}}};
  EXPECT_NO_THROW(check_sequences(sequences, small_info()));
  const std::vector<Prompt> prompts = {{.ids = {9, 8}, .known = {1, 2}, .draft = {3, 4, 5}}};
  EXPECT_NO_THROW(check_prompts(prompts, {}, small_info()));
  ModelInfo unlimited = small_info();
  unlimited.max_positions.reset();
  const std::vector<Prompt> longer = {{.ids = {1, 2, 3, 4, 5, 6}}};
  EXPECT_NO_THROW(check_prompts(longer, {}, unlimited));
}

TEST(RequestCheckTest, RefusesSequences) {
  EXPECT_EQ(sequence_refusal({{3, 10}, {3, 3}}),
            "sequence 1: token 1 has the id 10 (expected 0 to 9, the model's vocabulary); the "
            "tokenizer belongs to another model");
  expect_contains(sequence_refusal({{-1}, {-100}}), "token 0 has the id -1");
  expect_contains(sequence_refusal({{1}, {-5}}), "sequence 1, label: token 0 has the id -5");
  expect_contains(sequence_refusal({{1}, {}}), "1 tokens have 0 labels");
  expect_contains(sequence_refusal({{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}}),
                  "5 tokens are too many for this model (expected at most 4)");
}

TEST(RequestCheckTest, RefusesPrompts) {
  expect_contains(prompt_refusal({}), "prompt 1: it has no tokens");
  expect_contains(prompt_refusal({.ids = {10}}), "id 10");
  expect_contains(prompt_refusal({.ids = {1}, .known = {11}}), "id 11");
  expect_contains(prompt_refusal({.ids = {1}, .draft = {12}}), "id 12");
  expect_contains(prompt_refusal({.ids = {1, 2, 3}, .known = {4, 5}}), "5 tokens are too many");
}

TEST(RequestCheckTest, RefusesOptions) {
  expect_contains(options_refusal({.max_new_tokens = -1}), "max_new_tokens is -1");
  expect_contains(options_refusal({.repetition_penalty = 0}), "repetition_penalty is 0");
  expect_contains(options_refusal({.repetition_penalty = std::numeric_limits<double>::quiet_NaN()}),
                  "repetition_penalty is nan");
  expect_contains(options_refusal({.repetition_penalty = 1e300}), "repetition_penalty is 1e+300");
  expect_contains(options_refusal({.repetition_penalty = 1e-300}), "repetition_penalty is 1e-300");
  expect_contains(options_refusal({.sample = true, .temperature = 0}), "temperature is 0");
  // Logits divided by it would be infinite, and tokens that are infinitely likely cannot be drawn.
  expect_contains(options_refusal({.sample = true, .temperature = 1e-320}),
                  "(expected at least 1e-30");
  EXPECT_NO_THROW(check_prompts({}, {.sample = true, .temperature = 1e-30}, small_info()));
  expect_contains(options_refusal({.sample = true, .top_k = -1}), "top_k is -1");
  expect_contains(options_refusal({.sample = true, .top_p = 1.5}), "top_p is 1.5");
  expect_contains(options_refusal({.max_batch = 0}), "max_batch is 0");
  // Greedy decoding does not look at them.
  EXPECT_NO_THROW(check_prompts({}, {.sample = false, .temperature = 0}, small_info()));
}

TEST(RequestCheckTest, RefusesUnsupportedSettingsOfTheCheckpoint) {
  ModelInfo info = small_info();
  info.generation.unsupported = {"num_beams=4", "min_length=3"};
  EXPECT_EQ(error_of([&] { check_prompts({}, {}, info); }),
            "checkpoint: its generation settings are not supported: num_beams=4, min_length=3; "
            "remove them from generation_config.json");
}

}  // namespace
}  // namespace palimpsest::model
