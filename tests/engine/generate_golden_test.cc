#include <gtest/gtest.h>

#include "palimpsest/engine/engine_loader.h"
#include "tests/support/golden_models.h"

namespace palimpsest::engine {
namespace {

class GenerateGoldenTest : public testing::TestWithParam<std::string> {
 protected:
  GenerateGoldenTest()
      : golden_(golden_of(GetParam())),
        model_(EngineLoader().load(golden_model_folder(GetParam()), {})) {}

  std::vector<model::Prompt> prompts(const char* list) const {
    std::vector<model::Prompt> prompts;
    for (const auto& line : golden_.at(list)) {
      prompts.push_back({.ids = line.at("prompt").get<std::vector<int64_t>>()});
    }
    return prompts;
  }
  std::vector<std::vector<int64_t>> expected(const char* list) const {
    std::vector<std::vector<int64_t>> outputs;
    for (const auto& line : golden_.at(list))
      outputs.push_back(line.at("new").get<std::vector<int64_t>>());
    return outputs;
  }
  void expect(const std::vector<model::Prompt>& prompts, const model::GenerateOptions& options,
              const char* list) {
    const std::vector<model::Generation> found = model_->generate(prompts, options);
    const auto wanted = expected(list);
    ASSERT_EQ(found.size(), wanted.size());
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i].ids, wanted[i]) << list << " " << i;
  }

  nlohmann::json golden_;
  std::unique_ptr<model::LanguageModel> model_;
};

constexpr int64_t kNew = 64;

TEST_P(GenerateGoldenTest, PlainInAnyBatchSize) {
  for (const int64_t batch : {1, 2, 3, 64}) {
    expect(prompts("greedy"), {.max_new_tokens = kNew, .max_batch = batch}, "greedy");
  }
}

// The truth, the truth with a token changed here and there, a text that has nothing to do with it.
TEST_P(GenerateGoldenTest, DraftsChangeNothing) {
  const auto truth = expected("greedy");
  for (const int64_t batch : {1, 64}) {
    for (const int64_t wrong_every : {0, 7, 20, 1}) {
      std::vector<model::Prompt> drafted = prompts("greedy");
      for (size_t i = 0; i < drafted.size(); ++i) {
        drafted[i].draft = truth[i];
        for (size_t t = 0; wrong_every > 0 && t < truth[i].size(); t += wrong_every) {
          drafted[i].draft[t] = (drafted[i].draft[t] + 1) % 90;
        }
      }
      expect(drafted, {.max_new_tokens = kNew, .max_batch = batch}, "greedy");
    }
  }
}

TEST_P(GenerateGoldenTest, KnownTokensAreTakenOver) {
  const auto truth = expected("greedy");
  std::vector<model::Prompt> known = prompts("greedy");
  for (size_t i = 0; i < known.size(); ++i)
    known[i].known = {truth[i].begin(), truth[i].begin() + 20};
  expect(known, {.max_new_tokens = kNew}, "greedy");
  for (size_t i = 0; i < known.size(); ++i) known[i].known = truth[i];
  const auto all = model_->generate(known, {.max_new_tokens = kNew});
  for (size_t i = 0; i < known.size(); ++i) {
    EXPECT_EQ(all[i].ids, truth[i]);
    EXPECT_EQ(all[i].forward_tokens, 0);
  }
}

// The golden data of these models have further lists.
using GenerateToEosGoldenTest = GenerateGoldenTest;
TEST_P(GenerateToEosGoldenTest, StopsAtEos) {
  const auto eos = golden_.at("greedy_eos").at(0).at("eos").get<std::vector<int64_t>>();
  for (const int64_t batch : {1, 2, 64}) {
    expect(prompts("greedy_eos"), {.max_new_tokens = kNew, .eos_ids = eos, .max_batch = batch},
           "greedy_eos");
  }
}

using GenerateWithPenaltyGoldenTest = GenerateGoldenTest;
TEST_P(GenerateWithPenaltyGoldenTest, RepetitionPenalty) {
  const double penalty = golden_.at("greedy_penalty").at(0).at("penalty").get<double>();
  std::vector<model::Prompt> drafted = prompts("greedy_penalty");
  expect(drafted, {.max_new_tokens = kNew, .repetition_penalty = penalty}, "greedy_penalty");
  const auto truth = expected("greedy_penalty");
  for (size_t i = 0; i < drafted.size(); ++i) {
    drafted[i].draft = truth[i];
    drafted[i].draft[9] = 0;
  }
  expect(drafted, {.max_new_tokens = kNew, .repetition_penalty = penalty}, "greedy_penalty");
}

using GenerateMaskedGoldenTest = GenerateGoldenTest;
TEST_P(GenerateMaskedGoldenTest, MaskedPrompts) {
  const int64_t pad = golden_.at("manifest").at("pad_token_id").get<int64_t>();
  expect(prompts("greedy_masked"), {.max_new_tokens = kNew, .masked_token = pad}, "greedy_masked");
}

const auto kName = [](const auto& model) { return model.param; };
INSTANTIATE_TEST_SUITE_P(Models, GenerateGoldenTest, testing::ValuesIn(golden_model_names()),
                         kName);
INSTANTIATE_TEST_SUITE_P(Models, GenerateToEosGoldenTest,
                         testing::ValuesIn(golden_models_with("greedy_eos")), kName);
INSTANTIATE_TEST_SUITE_P(Models, GenerateWithPenaltyGoldenTest,
                         testing::ValuesIn(golden_models_with("greedy_penalty")), kName);
INSTANTIATE_TEST_SUITE_P(Models, GenerateMaskedGoldenTest,
                         testing::ValuesIn(golden_models_with("greedy_masked")), kName);

}  // namespace
}  // namespace palimpsest::engine
