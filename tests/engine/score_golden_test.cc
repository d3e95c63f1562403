#include <gtest/gtest.h>

#include "palimpsest/engine/engine_loader.h"
#include "tests/support/golden_models.h"

namespace palimpsest::engine {
namespace {

class ScoreGoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(ScoreGoldenTest, MatchesTransformers) {
  const nlohmann::json golden = golden_of(GetParam());
  EngineLoader loader;
  const auto model = loader.load(golden_model_folder(GetParam()), {});
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
}  // namespace palimpsest::engine
