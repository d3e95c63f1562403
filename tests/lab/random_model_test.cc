#include "palimpsest/lab/random_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/engine/engine_loader.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden_models.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::lab {
namespace {

// The mean log-probability that the model gives to the golden sequences.
double mean_logprob(const std::string& golden, const std::filesystem::path& folder) {
  double sum = 0;
  double count = 0;
  const auto model = engine::EngineLoader().load(folder, {});
  for (const model::SequenceScores& scores :
       model->score(sequences_of(golden_of(golden).at("sequences")), {})) {
    for (const double logprob : scores.logprob) sum += logprob;
    count += static_cast<double>(scores.logprob.size());
  }
  return sum / count;
}

TEST(RandomModelTest, EveryFamilyHasARandomCopyThatKnowsNothing) {
  for (const std::string& golden : golden_model_names()) {
    if (!std::filesystem::exists(golden_model_folder(golden) / "config.json")) continue;
    SCOPED_TRACE(golden);
    const TempFolder folder;
    const RandomModel made =
        make_random_model({.model = golden_model_folder(golden), .out = folder.path() / "copy"});
    EXPECT_GT(made.parameters, 0);
    const auto model = engine::EngineLoader().load(folder.path() / "copy", {});
    const double uniform = -std::log(static_cast<double>(model->info().vocab_size));
    EXPECT_NEAR(mean_logprob(golden, folder.path() / "copy"), uniform, 0.1);
  }
}

TEST(RandomModelTest, TheSeedDecides) {
  const TempFolder folder;
  const auto weights = [&](const std::string& name, uint64_t seed) {
    make_random_model(
        {.model = golden_model_folder("llama"), .out = folder.path() / name, .seed = seed});
    return read_file(folder.path() / name / "model.safetensors");
  };
  const std::string first = weights("a", 1);
  EXPECT_EQ(weights("b", 1), first);
  EXPECT_NE(weights("c", 2), first);
  EXPECT_NE(weights("a", 2), first);  // replaces what was made before
}

TEST(RandomModelTest, RefusesToReplaceWhatItDidNotMake) {
  const TempFolder folder;
  const std::filesystem::path model = golden_model_folder("llama");
  expect_contains(error_of([&] { make_random_model({.model = model, .out = model}); }),
                  "would replace");
  folder.write("mine", "text");
  expect_contains(error_of([&] { make_random_model({.model = model, .out = folder.path()}); }),
                  "did not make");
  expect_contains(
      error_of([&] { make_random_model({.model = folder.path(), .out = folder.path() / "x"}); }),
      "no config.json");
}

}  // namespace
}  // namespace palimpsest::lab
