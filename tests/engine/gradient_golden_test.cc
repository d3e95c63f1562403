#include <gtest/gtest.h>

#include <map>

#include "palimpsest/engine/engine_loader.h"
#include "palimpsest/model/architecture.h"
#include "tests/support/golden_models.h"

namespace palimpsest {
namespace {

class GradientGoldenTest : public testing::TestWithParam<std::string> {};

constexpr const char* kOrderNames[] = {"1", "2", "inf"};

std::vector<std::string> models_with_gradients() {
  std::vector<std::string> names;
  for (const std::string& name : golden_model_names()) {
    if (golden_of(name).contains("gradients")) names.push_back(name);
  }
  return names;
}

void expect_norms(const LanguageModel& model, const std::vector<SequenceScores>& scores,
                  const std::vector<size_t>& orders, const nlohmann::json& lines) {
  const std::vector<Parameter> all = parameters(model.info().architecture);
  for (const nlohmann::json& line : lines) {
    const SequenceScores& sequence = scores[line.at("sequence").get<size_t>()];
    ASSERT_EQ(sequence.gradient_norms.size(), orders.size());
    for (size_t o = 0; o < orders.size(); ++o) {
      const char* order = kOrderNames[orders[o]];
      ASSERT_EQ(sequence.gradient_norms[o].size(), all.size());
      for (size_t j = 0; j < all.size(); ++j) {
        if (!line.at("tensors").contains(all[j].name)) {
          ADD_FAILURE() << all[j].name;
          continue;
        }
        const double expected = line.at("tensors").at(all[j].name).at(order).get<double>();
        EXPECT_NEAR(sequence.gradient_norms[o][j], expected, 1e-4 * expected)
            << all[j].name << " p = " << order;
      }
    }
  }
}

TEST_P(GradientGoldenTest, MatchesTransformers) {
  const nlohmann::json golden = golden_of(GetParam());
  EngineLoader loader;
  const auto model = loader.load(golden_model_folder(GetParam()), {});
  const auto sequences = sequences_of(golden.at("sequences"));
  const auto two = model->score(sequences, {.gradient_norms = {NormOrder::kTwo}});
  expect_norms(*model, two, {1}, golden.at("gradients"));
  const auto all = model->score(
      sequences, {.gradient_norms = {NormOrder::kOne, NormOrder::kTwo, NormOrder::kInfinity}});
  expect_norms(*model, all, {0, 1, 2}, golden.at("gradients"));
  expect_scores(two, golden.at("sequences"));
  expect_scores(all, golden.at("sequences"));
}

INSTANTIATE_TEST_SUITE_P(Models, GradientGoldenTest, testing::ValuesIn(models_with_gradients()),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace palimpsest
