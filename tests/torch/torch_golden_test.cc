#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/engine/engine_loader.h"
#include "palimpsest/torch/internal/torch_backend.h"
#include "tests/support/golden_models.h"

// Two implementations of the steps, which have nothing but the decoder in common, held to the
// goldens and to each other: libtorch is the oracle of the engine's kernels.
namespace palimpsest::torch {
namespace {

std::unique_ptr<model::LanguageModel> load(const std::string& name,
                                           const model::ModelOptions& options) {
  return engine::EngineLoader({}, make_torch_backend()).load(golden_model_folder(name), options);
}

class TorchGoldenTest : public testing::TestWithParam<std::string> {
 protected:
  const nlohmann::json golden_ = golden_of(GetParam());

  std::vector<model::Prompt> prompts(const char* list) const {
    std::vector<model::Prompt> prompts;
    for (const auto& line : golden_.at(list)) {
      prompts.push_back({.ids = line.at("prompt").get<std::vector<int64_t>>()});
    }
    return prompts;
  }

  void expect_texts(model::LanguageModel& model, const std::vector<model::Prompt>& prompts,
                    const model::GenerateOptions& options, const char* list) const {
    const std::vector<model::Generation> found = model.generate(prompts, options);
    ASSERT_EQ(found.size(), golden_.at(list).size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].ids, golden_.at(list).at(i).at("new").get<std::vector<int64_t>>())
          << list << " " << i;
    }
  }

  int64_t pad() const { return golden_.at("manifest").at("pad_token_id").get<int64_t>(); }
};

// As close as scores must be to those of transformers: 1e-4 absolute and 1e-4 relative together.
void expect_parity(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t t = 0; t < found.size(); ++t) {
    EXPECT_NEAR(found[t], expected[t], 1e-4 + 1e-4 * std::abs(expected[t])) << t;
  }
}

constexpr int64_t kNew = 64;

TEST_P(TorchGoldenTest, MatchesTransformersAndTheEngine) {
  const auto sequences = sequences_of(golden_.at("sequences"));
  const auto engine = load(GetParam(), {.device = "cpu"});
  const std::vector<model::SequenceScores> expected = engine->score(sequences, {});
  for (const model::Residence residence :
       {model::Residence::kResident, model::Residence::kStreamed}) {
    const auto model = load(GetParam(), {.device = "torch", .threads = 1, .residence = residence});
    EXPECT_EQ(model->info().device, "torch");
    EXPECT_EQ(model->info().dtype, "float32");
    EXPECT_EQ(model->info().residence, residence);
    const std::vector<model::SequenceScores> scores = model->score(sequences, {});
    expect_scores(scores, golden_.at("sequences"));
    ASSERT_EQ(scores.size(), expected.size());
    for (size_t i = 0; i < scores.size(); ++i) {
      SCOPED_TRACE(i);
      expect_parity(scores[i].logprob, expected[i].logprob);
      expect_parity(scores[i].mean, expected[i].mean);
      expect_parity(scores[i].var, expected[i].var);
      EXPECT_EQ(scores[i].argmax, expected[i].argmax);
    }
    expect_texts(*model, prompts("greedy"), {.max_new_tokens = kNew}, "greedy");
    std::vector<model::Prompt> drafted = prompts("greedy");
    for (size_t i = 0; i < drafted.size(); ++i) {
      drafted[i].draft = golden_.at("greedy").at(i).at("new").get<std::vector<int64_t>>();
    }
    expect_texts(*model, drafted, {.max_new_tokens = kNew}, "greedy");
  }
}

TEST_P(TorchGoldenTest, MasksPadding) {
  if (!golden_.contains("masked_sequences") && !golden_.contains("greedy_masked")) return;
  const auto model = load(GetParam(), {.device = "torch", .threads = 1});
  if (golden_.contains("masked_sequences")) {
    const auto masked = sequences_of(golden_.at("masked_sequences"));
    expect_scores(model->score(masked, {.masked_token = pad()}), golden_.at("masked_sequences"));
  }
  if (golden_.contains("greedy_masked")) {
    expect_texts(*model, prompts("greedy_masked"), {.max_new_tokens = kNew, .masked_token = pad()},
                 "greedy_masked");
  }
}

// Eight bits of precision: near the float32 numbers, not equal to them.
TEST_P(TorchGoldenTest, RunsInBfloat16) {
  const auto model =
      load(GetParam(), {.device = "torch", .dtype = kernels::DType::kBFloat16, .threads = 1});
  EXPECT_EQ(model->info().dtype, "bfloat16");
  const auto scores = model->score(sequences_of(golden_.at("sequences")), {});
  double difference = 0;
  int64_t count = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    const auto exact = golden_.at("sequences").at(i).at("logprob").get<std::vector<double>>();
    ASSERT_EQ(scores[i].logprob.size(), exact.size());
    for (size_t t = 0; t < exact.size(); ++t, ++count)
      difference += std::abs(scores[i].logprob[t] - exact[t]);
  }
  EXPECT_LT(difference / static_cast<double>(count), 0.3);
  EXPECT_GT(difference, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, TorchGoldenTest, testing::ValuesIn(golden_model_names()),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace palimpsest::torch
