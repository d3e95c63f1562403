#include "palimpsest/model/internal/fake_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/support/expect_error.h"

namespace palimpsest::model {
namespace {

using Ids = std::vector<int64_t>;

Sequence all_labelled(const Ids& ids) {
  return {ids, ids};
}

SequenceScores score_one(FakeModel& model, const Sequence& sequence,
                         const ScoreOptions& options = {}) {
  return model.score({&sequence, 1}, options).at(0);
}

Generation generate_one(FakeModel& model, const Prompt& prompt, const GenerateOptions& options) {
  return model.generate({&prompt, 1}, options).at(0);
}

TEST(FakeModelTest, GivesAProperDistribution) {
  FakeModel model({.vocab_size = 5});
  double sum = 0;
  double mean = 0;
  double square = 0;
  int64_t best = 0;
  std::vector<double> logp;
  for (int64_t v = 0; v < 5; ++v) {
    const SequenceScores scores = score_one(model, {{1, 2, v}, {-100, -100, v}});
    ASSERT_EQ(scores.logprob.size(), 1u);
    logp.push_back(scores.logprob[0]);
    sum += std::exp(logp.back());
    mean += std::exp(logp.back()) * logp.back();
    square += std::exp(logp.back()) * logp.back() * logp.back();
    if (logp.back() > logp[static_cast<size_t>(best)]) best = v;
  }
  const SequenceScores scores = score_one(model, {{1, 2, 0}, {-100, -100, 0}});
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(scores.mean[0], mean, 1e-12);
  EXPECT_NEAR(scores.var[0], square - mean * mean, 1e-12);
  EXPECT_EQ(scores.argmax[0], best);
}

TEST(FakeModelTest, ScoresLabelledPositionsAfterTheFirst) {
  FakeModel model({});
  EXPECT_EQ(score_one(model, all_labelled({3, 4, 5})).logprob.size(), 2u);
  EXPECT_EQ(score_one(model, {{3, 4, 5}, {3, -100, -100}}).logprob.size(), 0u);
  EXPECT_EQ(score_one(model, {{}, {}}).argmax.size(), 0u);
  EXPECT_EQ(model.scored_sequences(), 3);
}

TEST(FakeModelTest, GreedyOutputIsTheArgmaxOfItsTrace) {
  FakeModel model({.seed = 3});
  const Ids prompt = {1, 2, 3};
  const Generation generation = generate_one(model, {.ids = prompt}, {.max_new_tokens = 10});
  ASSERT_EQ(generation.ids.size(), 10u);
  EXPECT_FALSE(generation.stopped);
  EXPECT_EQ(generation.forward_tokens, 12);
  Ids whole = prompt;
  whole.insert(whole.end(), generation.ids.begin(), generation.ids.end());
  const SequenceScores scores = score_one(model, all_labelled(whole));
  EXPECT_EQ(Ids(scores.argmax.end() - 10, scores.argmax.end()), generation.ids);
}

TEST(FakeModelTest, KnownTokensAndDraftsDoNotChangeTheResult) {
  FakeModel model({});
  const GenerateOptions options = {.max_new_tokens = 8};
  const Ids plain = generate_one(model, {.ids = {4, 5}}, options).ids;
  const Ids known(plain.begin(), plain.begin() + 3);
  EXPECT_EQ(generate_one(model, {.ids = {4, 5}, .known = known}, options).ids, plain);
  EXPECT_EQ(generate_one(model, {.ids = {4, 5}, .draft = {1, 1, 1}}, options).ids, plain);
  EXPECT_EQ(generate_one(model, {.ids = {4, 5}, .known = plain}, {.max_new_tokens = 2}).ids,
            Ids(plain.begin(), plain.begin() + 2));
}

TEST(FakeModelTest, StopsAtEndTokensAndWhereItIsTold) {
  FakeModel model({});
  const Ids plain = generate_one(model, {.ids = {4, 5}}, {.max_new_tokens = 8}).ids;
  const Generation ended =
      generate_one(model, {.ids = {4, 5}}, {.max_new_tokens = 8, .eos_ids = {plain[2]}});
  EXPECT_TRUE(ended.stopped);
  EXPECT_EQ(ended.ids.back(), plain[2]);
  EXPECT_LE(ended.ids.size(), 3u);
  GenerateOptions options = {.max_new_tokens = 8};
  options.should_stop = [](std::span<const int64_t> ids) { return ids.size() == 5; };
  const Generation told = generate_one(model, {.ids = {4, 5}}, options);
  EXPECT_TRUE(told.stopped);
  EXPECT_EQ(told.ids, Ids(plain.begin(), plain.begin() + 5));
  // Known tokens are asked about too.
  EXPECT_EQ(generate_one(model, {.ids = {4, 5}, .known = plain}, options).ids, told.ids);
}

TEST(FakeModelTest, MaskedTokensAreUnseenButCountedOnlyInScoring) {
  FakeModel model({.context = 2});
  const ScoreOptions masked = {.masked_token = 7};
  // The token before the masked one decides.
  const Sequence a = {{1, 2, 7, 9}, {-100, -100, -100, 9}};
  const Sequence b = {{5, 2, 7, 9}, {-100, -100, -100, 9}};
  EXPECT_NE(score_one(model, a, masked).logprob, score_one(model, b, masked).logprob);
  EXPECT_EQ(score_one(model, a).logprob, score_one(model, {{5, 2, 7, 9}, a.labels}).logprob);
  const GenerateOptions hidden = {.max_new_tokens = 4, .masked_token = 7};
  EXPECT_EQ(generate_one(model, {.ids = {7, 1, 7, 2}}, hidden).ids,
            generate_one(model, {.ids = {1, 2}}, hidden).ids);
  EXPECT_NE(score_one(model, {{7, 1, 7, 2, 9}, {-100, -100, -100, -100, 9}}, masked).logprob,
            score_one(model, {{1, 2, 9}, {-100, -100, 9}}, masked).logprob);
}

TEST(FakeModelTest, RepetitionPenaltyAvoidsWhatWasSaid) {
  FakeModel model({.vocab_size = 8});
  const Ids ids =
      generate_one(model, {.ids = {1}}, {.max_new_tokens = 7, .repetition_penalty = 1e9}).ids;
  std::set<int64_t> seen(ids.begin(), ids.end());
  seen.insert(1);
  // A logit above 0 falls to nearly 0, one below falls far: unseen tokens come first where they are
  // above 0.
  const Ids plain = generate_one(model, {.ids = {1}}, {.max_new_tokens = 7}).ids;
  EXPECT_GT(seen.size(), std::set<int64_t>(plain.begin(), plain.end()).size());
}

TEST(FakeModelTest, SamplingRepeatsWithItsSeed) {
  FakeModel model({});
  const std::vector<Prompt> prompts(2, {.ids = {1, 2}});
  GenerateOptions options = {.max_new_tokens = 20, .sample = true, .seed = 5};
  const std::vector<Generation> once = model.generate(prompts, options);
  EXPECT_EQ(once[0].ids, model.generate(prompts, options)[0].ids);
  EXPECT_NE(once[0].ids, once[1].ids);
  options.seed = 6;
  EXPECT_NE(once[0].ids, model.generate(prompts, options)[0].ids);
}

TEST(FakeModelTest, SamplingFromOneTokenIsGreedy) {
  FakeModel model({});
  const Ids greedy = generate_one(model, {.ids = {1, 2}}, {.max_new_tokens = 9}).ids;
  EXPECT_EQ(
      generate_one(model, {.ids = {1, 2}}, {.max_new_tokens = 9, .sample = true, .top_k = 1}).ids,
      greedy);
  EXPECT_EQ(
      generate_one(model, {.ids = {1, 2}}, {.max_new_tokens = 9, .sample = true, .top_p = 1e-9})
          .ids,
      greedy);
  EXPECT_EQ(generate_one(model, {.ids = {1, 2}},
                         {.max_new_tokens = 9, .sample = true, .temperature = 1e-6})
                .ids,
            greedy);
}

TEST(FakeModelTest, AGradientNormForEachOrder) {
  FakeModel model({});
  const ScoreOptions options = {
      .gradient_norms = {NormOrder::kTwo, NormOrder::kInfinity, NormOrder::kOne}};
  const auto norms = score_one(model, all_labelled({1, 2, 3, 4}), options).gradient_norms;
  ASSERT_EQ(norms.size(), 3u);
  EXPECT_GT(norms[1], 0);
  EXPECT_GT(norms[0], norms[1]);
  EXPECT_GT(norms[2], norms[0]);
  EXPECT_TRUE(score_one(model, all_labelled({1, 2}), options).gradient_norms.empty());
  EXPECT_EQ(model.scored_sequences(), 2);
  EXPECT_EQ(model.backward_sequences(), 1);
}

TEST(FakeModelTest, StaysUsableAfterBadInput) {
  FakeModel model({.max_positions = 3});
  expect_contains(error_of([&] { score_one(model, all_labelled({1, 99})); }), "id 99");
  expect_contains(error_of([&] { score_one(model, all_labelled({1, 1, 1, 1})); }), "too many");
  expect_contains(error_of([&] { generate_one(model, {}, {}); }), "no tokens");
  EXPECT_EQ(model.scored_sequences(), 0);
  EXPECT_EQ(score_one(model, all_labelled({1, 2})).logprob.size(), 1u);
  EXPECT_EQ(generate_one(model, {.ids = {1}}, {}).ids.size(), 2u);
  expect_contains(error_of([] { FakeModel({.vocab_size = 0}); }), "vocabulary");
}

TEST(FakeModelTest, TellsWhenPromptsAreDone) {
  FakeModel model({});
  int64_t finished = 0;
  GenerateOptions options = {.max_new_tokens = 1};
  options.on_finished = [&](int64_t more) { finished += more; };
  model.generate(std::vector<Prompt>(3, {.ids = {1}}), options);
  EXPECT_EQ(finished, 3);
  EXPECT_EQ(model.generated_prompts(), 3);
}

TEST(FakeModelTest, LoadersGiveOneModelPerFolder) {
  FakeModelLoader loader;
  const auto a = loader.load("a", {});
  const auto again = loader.load("a", {});
  const auto b = loader.load("b", {});
  const std::vector<Sequence> sequences = {all_labelled({1, 2, 3})};
  const auto scores = a->score(sequences, {});
  EXPECT_EQ(scores[0].logprob, again->score(sequences, {})[0].logprob);
  EXPECT_NE(scores[0].logprob, b->score(sequences, {})[0].logprob);
  EXPECT_EQ(a->info().source, "a");
  EXPECT_EQ(a->info().vocab_size, 32);
  EXPECT_EQ(loader.loads(), 3);
  EXPECT_EQ(loader.counts().scored_sequences, 3);
}

// Bytes stay the same from release to release: tests of other modules may rely on them.
TEST(FakeModelTest, IsTheSameOnEveryMachine) {
  FakeModel model({.seed = 1});
  EXPECT_EQ(generate_one(model, {.ids = {1, 2, 3}}, {.max_new_tokens = 6}).ids,
            Ids({21, 25, 28, 31, 0, 4}));
}

}  // namespace
}  // namespace palimpsest::model
