#include "palimpsest/engine/internal/generator.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "palimpsest/engine/engine_loader.h"
#include "tests/support/golden_models.h"

namespace palimpsest::engine {
namespace {

using Ids = std::vector<int64_t>;

class GeneratorTest : public testing::Test {
 protected:
  static model::LanguageModel& model() {
    static const std::unique_ptr<model::LanguageModel> loaded =
        EngineLoader().load(golden_model_folder("llama_gqa_tied"), {});
    return *loaded;
  }
  static model::Generation one(const model::Prompt& prompt, const model::GenerateOptions& options) {
    return model().generate({{prompt}}, options).at(0);
  }

  const Ids prompt_ = {5, 6, 7, 8, 9};
};

TEST_F(GeneratorTest, NoNewTokens) {
  const model::Generation found = one({.ids = prompt_}, {.max_new_tokens = 0});
  EXPECT_TRUE(found.ids.empty());
  EXPECT_FALSE(found.stopped);
  EXPECT_EQ(found.forward_tokens, 0);
}

// Every token but the last generated one runs once (so few that no repetition is guessed).
TEST_F(GeneratorTest, TokensRunOnce) {
  const model::Generation found = one({.ids = prompt_}, {.max_new_tokens = 5});
  EXPECT_EQ(found.ids.size(), 5u);
  EXPECT_EQ(found.forward_tokens, 5 + 4);
}

// Without a number the model's positions are the end (and nothing that is multiplied by it wraps).
TEST_F(GeneratorTest, AsLongAsTheModelGoes) {
  const model::GenerateOptions options{.max_new_tokens = std::numeric_limits<int64_t>::max()};
  const std::vector<model::Prompt> prompts(2, {.ids = prompt_});
  const auto length = static_cast<size_t>(*model().info().max_positions);
  for (const model::Generation& found : model().generate(prompts, options)) {
    EXPECT_EQ(found.ids.size() + prompt_.size(), length);
    EXPECT_FALSE(found.stopped);
  }
}

// A system prompt runs once, and changes nothing; tokens that are hidden in it stay so.
TEST_F(GeneratorTest, PromptsShareTheirBeginning) {
  const Ids system = {11, 12, 3, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25};
  std::vector<model::Prompt> prompts;
  for (const Ids& question : {Ids{30, 31}, {30, 3, 32, 33}, {40}}) {
    Ids ids = system;
    ids.insert(ids.end(), question.begin(), question.end());
    prompts.push_back({.ids = ids});
  }
  for (const std::optional<int64_t> masked :
       {std::optional<int64_t>(), std::optional<int64_t>(3)}) {
    for (const int64_t max_batch : {1, 2, 8}) {
      const model::GenerateOptions options{
          .max_new_tokens = 5, .masked_token = masked, .max_batch = max_batch};
      const std::vector<model::Generation> together = model().generate(prompts, options);
      int64_t tokens = 0;
      for (size_t i = 0; i < prompts.size(); ++i) {
        EXPECT_EQ(together[i].ids, one(prompts[i], options).ids) << i;
        tokens += together[i].forward_tokens;
      }
      EXPECT_EQ(tokens, 16 + 2 + 4 + 1 + 3 * 4);
    }
  }
}

// One prompt is the beginning of all others: its last token is its own.
TEST_F(GeneratorTest, APromptThatAllOthersBeginWith) {
  std::vector<model::Prompt> prompts(3);
  for (int64_t i = 0; i < 32; ++i) {
    for (size_t p = 0; p < prompts.size(); ++p) prompts[p].ids.push_back(5 + i % 20);
  }
  prompts[0].ids.push_back(9);
  prompts[1].ids.insert(prompts[1].ids.end(), {9, 8});
  const std::vector<model::Generation> together = model().generate(prompts, {.max_new_tokens = 6});
  for (size_t i = 0; i < prompts.size(); ++i) {
    EXPECT_EQ(together[i].ids, one(prompts[i], {.max_new_tokens = 6}).ids) << i;
  }
}

// Guesses at a text that goes round in circles change nothing: the same as a token at a time, where
// there is nothing to guess from.
TEST_F(GeneratorTest, RepetitionsAreOnlyGuessed) {
  for (const std::optional<int64_t> masked :
       {std::optional<int64_t>(), std::optional<int64_t>(7)}) {
    const model::GenerateOptions options{.max_new_tokens = 60, .masked_token = masked};
    const model::Generation found = one({.ids = prompt_}, options);
    EXPECT_GT(found.forward_tokens, 5 + 59);  // some guess was wrong, so there were some
    model::Prompt next{.ids = prompt_};
    for (int64_t length = 1; length <= 60; ++length) {
      model::GenerateOptions step = options;
      step.max_new_tokens = length;
      next.known = one(next, step).ids;
    }
    EXPECT_EQ(found.ids, next.known);
  }
}

TEST_F(GeneratorTest, KeepsTheEosThatStopsIt) {
  const Ids plain = one({.ids = prompt_}, {.max_new_tokens = 10}).ids;
  const model::Generation found =
      one({.ids = prompt_}, {.max_new_tokens = 10, .eos_ids = {plain[4]}});
  const auto first = std::ranges::find(plain, plain[4]);
  EXPECT_EQ(found.ids, Ids(plain.begin(), first + 1));
  EXPECT_TRUE(found.stopped);
}

TEST_F(GeneratorTest, AsksWhetherToStopAfterEveryToken) {
  const Ids plain = one({.ids = prompt_}, {.max_new_tokens = 10}).ids;
  for (const bool drafted : {false, true}) {
    std::vector<size_t> asked;
    model::GenerateOptions options{.max_new_tokens = 10};
    options.should_stop = [&](std::span<const int64_t> ids) {
      asked.push_back(ids.size());
      return ids.size() == 4;
    };
    const model::Generation found =
        one({.ids = prompt_, .draft = drafted ? plain : Ids()}, options);
    EXPECT_EQ(found.ids, Ids(plain.begin(), plain.begin() + 4));
    EXPECT_TRUE(found.stopped);
    EXPECT_EQ(asked, (std::vector<size_t>{1, 2, 3, 4})) << drafted;
  }
}

TEST_F(GeneratorTest, KnownTokensMayStopIt) {
  const model::Generation eos = one({.ids = prompt_, .known = {10, 2, 11}}, {.eos_ids = {2}});
  EXPECT_EQ(eos.ids, (Ids{10, 2}));
  EXPECT_TRUE(eos.stopped);
  EXPECT_EQ(eos.forward_tokens, 0);
  const model::Generation full =
      one({.ids = prompt_, .known = {10, 11, 12}}, {.max_new_tokens = 2});
  EXPECT_EQ(full.ids, (Ids{10, 11}));
  EXPECT_FALSE(full.stopped);
}

TEST_F(GeneratorTest, StopsWhereThePositionsEnd) {
  const auto gpt2 = EngineLoader().load(golden_model_folder("gpt2"), {});  // 128 positions
  const Ids prompt(120, 9);
  const Ids plain = gpt2->generate({{{.ids = prompt}}}, {.max_new_tokens = 50}).at(0).ids;
  EXPECT_EQ(plain.size(), 8u);
  model::Prompt drafted{.ids = prompt, .draft = plain};
  drafted.draft.resize(40, 3);
  EXPECT_EQ(gpt2->generate({{drafted}}, {.max_new_tokens = 50}).at(0).ids, plain);
  const Ids whole(128, 9);
  EXPECT_TRUE(gpt2->generate({{{.ids = whole}}}, {.max_new_tokens = 50}).at(0).ids.empty());
}

// A right draft is verified as it is, a wrong one costs what was guessed in vain.
TEST_F(GeneratorTest, ARightDraftRunsNothingTwice) {
  const Ids plain = one({.ids = prompt_}, {.max_new_tokens = 30}).ids;
  const model::Generation found = one({.ids = prompt_, .draft = plain}, {.max_new_tokens = 30});
  EXPECT_EQ(found.ids, plain);
  EXPECT_EQ(found.forward_tokens, 5 + 29);
  Ids wrong = plain;
  wrong[0] = (wrong[0] + 1) % 90;
  const model::Generation corrected = one({.ids = prompt_, .draft = wrong}, {.max_new_tokens = 30});
  EXPECT_EQ(corrected.ids, plain);
  EXPECT_GT(corrected.forward_tokens, 5 + 29);
}

TEST_F(GeneratorTest, CountsWhatIsFinished) {
  for (const int64_t batch : {1, 2, 64}) {
    int64_t finished = 0;
    model::GenerateOptions options{.max_new_tokens = 3, .max_batch = batch};
    options.on_finished = [&](int64_t more) { finished += more; };
    model().generate(std::vector<model::Prompt>(7, {.ids = prompt_}), options);
    EXPECT_EQ(finished, 7) << batch;
  }
}

TEST_F(GeneratorTest, SamplesTheSameInAnyBatch) {
  std::vector<model::Prompt> prompts(6, {.ids = prompt_});
  model::GenerateOptions options{.max_new_tokens = 12, .sample = true, .top_k = 40, .seed = 4};
  const auto together = model().generate(prompts, options);
  options.max_batch = 1;
  const auto alone = model().generate(prompts, options);
  std::set<Ids> different;
  for (size_t i = 0; i < prompts.size(); ++i) {
    EXPECT_EQ(alone[i].ids, together[i].ids) << i;
    different.insert(together[i].ids);
  }
  EXPECT_EQ(different.size(), 6u);  // each prompt draws for itself
  options.seed = 5;
  EXPECT_NE(model().generate(prompts, options)[0].ids, together[0].ids);
}

// Drafts are for greedy decoding.
TEST_F(GeneratorTest, SamplingIgnoresDrafts) {
  const model::GenerateOptions options{.max_new_tokens = 12, .sample = true};
  EXPECT_EQ(one({.ids = prompt_, .draft = {1, 2, 3}}, options).ids,
            one({.ids = prompt_}, options).ids);
}

TEST_F(GeneratorTest, TopOneIsGreedy) {
  EXPECT_EQ(one({.ids = prompt_}, {.max_new_tokens = 12, .sample = true, .top_k = 1}).ids,
            one({.ids = prompt_}, {.max_new_tokens = 12}).ids);
}

TEST_F(GeneratorTest, StreamedGivesTheSame) {
  const auto streamed = EngineLoader().load(golden_model_folder("llama_gqa_tied"),
                                            {.residence = model::Residence::kStreamed});
  EXPECT_EQ(streamed->generate({{{.ids = prompt_}}}, {.max_new_tokens = 20}).at(0).ids,
            one({.ids = prompt_}, {.max_new_tokens = 20}).ids);
}

// A prompt of nothing but masked tokens is odd, not fatal.
TEST_F(GeneratorTest, APromptOfMaskedTokens) {
  const model::Generation found = one({.ids = {3, 3, 3}}, {.max_new_tokens = 4, .masked_token = 3});
  EXPECT_EQ(found.ids.size(), 4u);
}

}  // namespace
}  // namespace palimpsest::engine
