#include <gtest/gtest.h>

#include "palimpsest/torch/torch_loader.h"
#include "tests/torch/golden_models.h"

namespace palimpsest {
namespace {

class ScoreGoldenTest : public testing::TestWithParam<std::string> {};

void expect_scores(const std::vector<SequenceScores>& scores, const nlohmann::json& lines) {
  ASSERT_EQ(scores.size(), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const nlohmann::json& line = lines[i];
    SCOPED_TRACE(line.at("name").get<std::string>());
    const auto logprob = line.at("logprob").get<std::vector<double>>();
    const auto mean = line.at("mean").get<std::vector<double>>();
    const auto var = line.at("var").get<std::vector<double>>();
    ASSERT_EQ(scores[i].logprob.size(), logprob.size());
    EXPECT_EQ(scores[i].argmax, line.at("argmax").get<std::vector<int64_t>>());
    for (size_t t = 0; t < logprob.size(); ++t) {
      EXPECT_NEAR(scores[i].logprob[t], logprob[t], 2e-5) << t;
      EXPECT_NEAR(scores[i].mean[t], mean[t], 2e-5) << t;
      EXPECT_NEAR(scores[i].var[t], var[t], 2e-5 * (1 + var[t])) << t;
    }
  }
}

TEST_P(ScoreGoldenTest, MatchesTransformers) {
  const std::filesystem::path folder = golden_model_folder(GetParam());
  const nlohmann::json golden = nlohmann::json::parse(read_file(folder / "golden.json"));
  TorchLoader loader;
  const auto model = loader.load(folder, {});
  const auto sequences = sequences_of(golden.at("sequences"));
  expect_scores(model->score(sequences, {}), golden.at("sequences"));
  if (golden.contains("masked_sequences")) {
    const auto masked = sequences_of(golden.at("masked_sequences"));
    expect_scores(
        model->score(masked,
                     {.masked_token = golden.at("manifest").at("pad_token_id").get<int64_t>()}),
        golden.at("masked_sequences"));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ScoreGoldenTest, testing::ValuesIn(golden_model_names()),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace palimpsest
