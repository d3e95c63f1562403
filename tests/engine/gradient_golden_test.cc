#include <gtest/gtest.h>

#include <map>

#include "palimpsest/model/internal/architecture.h"
#include "tests/engine/decoder_parts.h"

namespace palimpsest::engine {
namespace {

class GradientGoldenTest : public testing::TestWithParam<std::string> {};

constexpr int64_t kMaxRows = 4096;
constexpr const char* kOrderNames[] = {"1", "2", "inf"};

// Tensor by tensor, and the mean that is the score.
void expect_norms(const std::vector<model::Parameter>& all, const GradientScores& found,
                  const std::vector<size_t>& orders, const nlohmann::json& lines) {
  for (const nlohmann::json& line : lines) {
    const auto sequence = line.at("sequence").get<size_t>();
    const TensorNorms& norms = found.tensor_norms[sequence];
    ASSERT_EQ(norms.size(), orders.size());
    ASSERT_EQ(found.scores[sequence].gradient_norms.size(), orders.size());
    for (size_t o = 0; o < orders.size(); ++o) {
      const char* order = kOrderNames[orders[o]];
      double sum = 0;
      ASSERT_EQ(norms[o].size(), all.size());
      for (size_t j = 0; j < all.size(); ++j) {
        if (!line.at("tensors").contains(all[j].name)) {
          ADD_FAILURE() << all[j].name;
          continue;
        }
        const double expected = line.at("tensors").at(all[j].name).at(order).get<double>();
        EXPECT_NEAR(norms[o][j], expected, 1e-4 * expected) << all[j].name << " p = " << order;
        sum += norms[o][j];
      }
      EXPECT_EQ(found.scores[sequence].gradient_norms[o], sum / static_cast<double>(all.size()));
    }
  }
}

TEST_P(GradientGoldenTest, MatchesTransformers) {
  const nlohmann::json golden = golden_of(GetParam());
  DecoderParts model(GetParam(), false);
  const std::vector<model::Parameter> tensors = model::parameters(model.source->architecture());
  const auto sequences = sequences_of(golden.at("sequences"));
  const auto two =
      model.gradients(sequences, kMaxRows, {.gradient_norms = {model::NormOrder::kTwo}});
  expect_norms(tensors, two, {1}, golden.at("gradients"));
  const auto all =
      model.gradients(sequences, kMaxRows,
                      {.gradient_norms = {model::NormOrder::kOne, model::NormOrder::kTwo,
                                          model::NormOrder::kInfinity}});
  expect_norms(tensors, all, {0, 1, 2}, golden.at("gradients"));
  expect_scores(two.scores, golden.at("sequences"));
  expect_scores(all.scores, golden.at("sequences"));
}

INSTANTIATE_TEST_SUITE_P(Models, GradientGoldenTest,
                         testing::ValuesIn(golden_models_with("gradients")),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace palimpsest::engine
