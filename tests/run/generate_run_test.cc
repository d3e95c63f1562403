#include "palimpsest/run/internal/generate_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/model/internal/fake_model.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::run {
namespace {

std::vector<GenerationRequest> requests(int64_t count) {
  std::vector<GenerationRequest> list;
  for (int64_t i = 0; i < count; ++i) {
    GenerationRequest request{.where = "data, example " + std::to_string(i)};
    for (int64_t t = 0; t <= i % 4; ++t) request.prompt.ids.push_back((5 * (i % 9) + 3 * t) % 32);
    list.push_back(request);
  }
  return list;
}

GenerationSettings settings(double penalty = 1) {
  return {.description = "five tokens",
          .options =
              [penalty](const model::ModelInfo&) {
                return model::GenerateOptions{.max_new_tokens = 5, .repetition_penalty = penalty};
              },
          .batch_prompts = 4};
}

std::vector<std::vector<int64_t>> ids_of(const GenerationOutcome& outcome) {
  std::vector<std::vector<int64_t>> ids;
  for (const model::Generation& generation : outcome.generations) ids.push_back(generation.ids);
  return ids;
}

TEST(GenerateRunTest, EveryRequestGetsItsOwnText) {
  const TempFolder folder;
  model::FakeModelLoader loader;
  LazyModel model(loader, "fake", "fake", {});
  const auto list = requests(20);
  const GenerationOutcome outcome =
      generate_all(model, list, settings(), {.folder = folder.path()});
  ASSERT_EQ(outcome.generations.size(), list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const model::Prompt prompt{.ids = list[i].prompt.ids};
    const auto alone = model.get().generate({&prompt, 1}, {.max_new_tokens = 5});
    EXPECT_EQ(outcome.generations[i].ids, alone[0].ids) << i;
  }
}

TEST(GenerateRunTest, TheSamePromptRunsOnce) {
  const TempFolder folder;
  model::FakeModelLoader loader;
  LazyModel model(loader, "fake", "fake", {});
  std::vector<GenerationRequest> twice = requests(6);
  twice.push_back(twice[2]);
  twice.back().prompt.draft = {1, 2, 3};
  const GenerationOutcome outcome =
      generate_all(model, twice, settings(), {.folder = folder.path()});
  EXPECT_EQ(outcome.counts.prompts, 6);
  EXPECT_EQ(loader.counts().generated_prompts, 6);
  EXPECT_EQ(outcome.generations[6].ids, outcome.generations[2].ids);
}

TEST(GenerateRunTest, AFinishedRunIsNotRepeated) {
  const TempFolder folder;
  model::FakeModelLoader loader;
  LazyModel model(loader, "fake", "fake", {});
  const auto first = generate_all(model, requests(20), settings(), {.folder = folder.path()});
  LazyModel other(loader, "fake", "fake", {});
  const auto again = generate_all(other, requests(20), settings(), {.folder = folder.path()});
  EXPECT_EQ(ids_of(again), ids_of(first));
  EXPECT_EQ(again.counts.resumed, again.counts.prompts);
  EXPECT_FALSE(other.is_loaded());
  EXPECT_EQ(loader.counts().generated_prompts, first.counts.prompts);
}

// A trace knows nothing of penalties.
TEST(GenerateRunTest, KnownTokensCountOnlyWithoutPenalty) {
  model::FakeModelLoader loader;
  LazyModel model(loader, "fake", "fake", {});
  std::vector<GenerationRequest> list = requests(1);
  list[0].prompt.known = {31, 30};
  const TempFolder plain;
  EXPECT_EQ(generate_all(model, list, settings(), {.folder = plain.path()}).generations[0].ids[0],
            31);
  const TempFolder penalised;
  const auto free = generate_all(model, list, settings(1.5), {.folder = penalised.path()});
  const model::Prompt prompt{.ids = list[0].prompt.ids};
  EXPECT_EQ(
      free.generations[0].ids,
      model.get().generate({&prompt, 1}, {.max_new_tokens = 5, .repetition_penalty = 1.5})[0].ids);
}

// A trace is of the whole text, whose length the positions of some models depend on.
TEST(GenerateRunTest, KnownTokensOfOtherPositionsAreOnlyADraft) {
  model::FakeModelLoader loader({.positions_agree = [](int64_t a, int64_t b) {
    return std::max<int64_t>(a, 8) == std::max<int64_t>(b, 8);
  }});
  LazyModel model(loader, "fake", "fake", {});
  std::vector<GenerationRequest> list(2);
  for (GenerationRequest& request : list) request.prompt = {.ids = {3, 4, 5}, .known = {31, 30}};
  list[0].prompt.ids = {1, 2, 3};
  list[0].prompt.draft = {31, 7, 7, 7, 7};  // 8 tokens: as in training
  list[1].prompt.draft = {31, 7, 7, 7, 7, 7};
  const TempFolder folder;
  const auto made = generate_all(model, list, settings(), {.folder = folder.path()});
  EXPECT_EQ(made.generations[0].ids[0], 31);
  const model::Prompt prompt{.ids = list[1].prompt.ids};
  EXPECT_EQ(made.generations[1].ids,
            model.get().generate({&prompt, 1}, {.max_new_tokens = 5})[0].ids);
}

TEST(GenerateRunTest, SaysWhichRequestCannotBeRun) {
  const TempFolder folder;
  model::FakeModelLoader loader;
  LazyModel model(loader, "fake", "fake", {});
  std::vector<GenerationRequest> list = requests(3);
  list[1].prompt.ids = {32};
  expect_contains(
      error_of([&] { generate_all(model, list, settings(), {.folder = folder.path() / "run"}); }),
      "data, example 1");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run"));
  // A draft that cannot be read is only a bad guess.
  list[1].prompt = {.ids = {3}, .draft = {5, 99}};
  EXPECT_EQ(generate_all(model, list, settings(), {.folder = folder.path()}).generations.size(),
            3U);
}

}  // namespace
}  // namespace palimpsest::run
