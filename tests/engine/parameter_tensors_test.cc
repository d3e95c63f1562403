#include "palimpsest/engine/internal/parameter_tensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/kernels/internal/widen.h"
#include "palimpsest/model/internal/parameter_check.h"
#include "tests/support/golden_models.h"

namespace palimpsest::engine {
namespace {

class ParameterTensorsTest : public testing::TestWithParam<std::string> {};

std::vector<std::string> whole_models() {
  std::vector<std::string> names = golden_model_names();
  std::erase_if(names, [](const std::string& name) { return name.ends_with("_lora"); });
  return names;
}

// Fused, turned round and sorted by part: every family's weights come out as they are stored.
TEST_P(ParameterTensorsTest, GivesWhatTheCheckpointHolds) {
  const std::filesystem::path folder = golden_model_folder(GetParam());
  const model::Architecture architecture =
      model::read_architecture(read_file(folder / "config.json"), GetParam());
  const model::Checkpoint checkpoint = model::Checkpoint::open(folder);
  WorkerPool pool(1);
  const WeightSource source(architecture, checkpoint, std::nullopt, pool);
  std::set<std::string> seen;
  for_each_parameter(architecture, source.all(),
                     [&](const model::Parameter& parameter, std::span<const float> numbers) {
                       const model::StoredTensor& stored =
                           model::require_parameter(checkpoint, architecture, parameter.name);
                       std::vector<float> expected(numbers.size());
                       ASSERT_EQ(stored.shape, parameter.shape);
                       kernels::widen(stored.dtype, stored.bytes.data(), std::ssize(expected),
                                      expected.data());
                       EXPECT_TRUE(std::ranges::equal(numbers, expected)) << parameter.name;
                       seen.insert(parameter.name);
                     });
  EXPECT_EQ(seen.size(), model::parameters(architecture).size());
}

TEST_P(ParameterTensorsTest, BlocksHoldEveryNumberOnce) {
  const model::Architecture architecture = model::read_architecture(
      read_file(golden_model_folder(GetParam()) / "config.json"), GetParam());
  int64_t numbers = 0;
  for (const WeightBlock& block : weight_blocks(initial_weights(architecture, Random(1)))) {
    numbers += block.matrix.size();
  }
  EXPECT_EQ(numbers, model::num_parameters(architecture));
}

INSTANTIATE_TEST_SUITE_P(Models, ParameterTensorsTest, testing::ValuesIn(whole_models()),
                         [](const auto& param) { return param.param; });

model::Architecture architecture_of(const std::string& name) {
  return model::read_architecture(read_file(golden_model_folder(name) / "config.json"), name);
}

double deviation(const Matrix& matrix) {
  double sum = 0;
  for (int64_t row = 0; row < matrix.rows(); ++row) {
    for (int64_t i = 0; i < matrix.columns(); ++i) {
      sum += std::pow(static_cast<double>(matrix.row(row)[i]), 2);
    }
  }
  return std::sqrt(sum / static_cast<double>(matrix.size()));
}

TEST(InitialWeightsTest, MatricesAreNormalAndNormsTheIdentity) {
  model::Architecture llama = architecture_of("llama");
  const ModelWeights weights = initial_weights(llama, Random(1));
  const double residual = 0.02 / std::sqrt(2.0 * static_cast<double>(llama.num_layers));
  EXPECT_NEAR(deviation(weights.embedding), 0.02, 0.002);
  EXPECT_NEAR(deviation(weights.layers[0].query_key_value.weight), 0.02, 0.002);
  EXPECT_NEAR(deviation(weights.layers[0].attention_out.weight), residual, residual / 5);
  EXPECT_NEAR(deviation(weights.layers[0].mlp_out.weight), residual, residual / 5);
  EXPECT_EQ(deviation(weights.final_norm.weight), 1);
  // Gemma multiplies by one more than the weight.
  EXPECT_EQ(deviation(initial_weights(architecture_of("gemma"), Random(1)).final_norm.weight), 0);
  const ModelWeights gpt2 = initial_weights(architecture_of("gpt2"), Random(1));
  EXPECT_EQ(deviation(gpt2.layers[0].mlp_in.bias), 0);
  EXPECT_EQ(gpt2.head.storage(), gpt2.embedding.storage());
}

TEST(InitialWeightsTest, CopiesAndZerosHaveMemoryOfTheirOwn) {
  const ModelWeights weights = initial_weights(architecture_of("gpt2"), Random(1));
  const ModelWeights copy = deep_copy(weights);
  const ModelWeights zeros = zeros_like(weights);
  EXPECT_EQ(copy.embedding.data()[5], weights.embedding.data()[5]);
  copy.embedding.data()[5] = 7;
  EXPECT_NE(weights.embedding.data()[5], 7);
  EXPECT_EQ(copy.head.data()[5], 7);  // tied as the original is
  EXPECT_EQ(deviation(zeros.layers[0].mlp_in.weight), 0);
  EXPECT_EQ(zeros.head.storage(), zeros.embedding.storage());
}

}  // namespace
}  // namespace palimpsest::engine
