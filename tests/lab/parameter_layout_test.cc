#include "palimpsest/lab/parameter_layout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/lab/tiny.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::lab {
namespace {

TEST(ParameterLayoutTest, BlocksFollowEachOther) {
  const ParameterLayout layout = tiny_layout();
  int64_t end = 0;
  for (const ParameterBlock& block : layout.blocks()) {
    EXPECT_EQ(block.offset, end);
    end += block.size();
  }
  EXPECT_EQ(end, layout.size());
  EXPECT_EQ(layout.blocks().size(), 1U + ParameterLayout::kBlocksPerLayer + 1U);
  EXPECT_EQ(layout.blocks()[2].rows, 3 * kTinyShape.width);  // query, key and value
}

TEST(ParameterLayoutTest, InitialValuesAreNormalAndNormsOne) {
  const ParameterLayout layout = tiny_layout({.layers = 2, .width = 64, .heads = 2, .mlp = 128});
  const std::vector<float> values = layout.initial(Random(1));
  EXPECT_EQ(layout.initial(Random(1)), values);
  const auto deviation = [&](const ParameterBlock& block) {
    double sum = 0;
    for (int64_t i = 0; i < block.size(); ++i) {
      sum += std::pow(values[static_cast<size_t>(block.offset + i)], 2);
    }
    return std::sqrt(sum / static_cast<double>(block.size()));
  };
  EXPECT_NEAR(deviation(layout.blocks()[0]), 0.02, 0.001);
  EXPECT_EQ(deviation(layout.blocks()[1]), 1);
  EXPECT_NEAR(deviation(layout.blocks()[2]), 0.02, 0.001);
  EXPECT_NEAR(deviation(layout.blocks()[3]), 0.01, 0.0005);
  EXPECT_NEAR(deviation(layout.blocks()[6]), 0.01, 0.0005);
}

TEST(ParameterLayoutTest, ValuesSurviveAFile) {
  const TempFolder folder;
  const ParameterLayout layout = tiny_layout();
  const std::vector<float> values = layout.initial(Random(1));
  write_safetensors(folder.path() / "model.safetensors", layout.tensors(values));
  EXPECT_EQ(layout.read(Checkpoint::open(folder.path()), "model"), values);
}

TEST(ParameterLayoutTest, RefusesAnotherModelsFile) {
  const TempFolder folder;
  const ParameterLayout other = tiny_layout({.layers = 1, .width = 16, .heads = 2, .mlp = 48});
  write_safetensors(folder.path() / "model.safetensors", other.tensors(other.initial(Random(1))));
  const std::string message =
      error_of([&] { tiny_layout().read(Checkpoint::open(folder.path()), "model"); });
  expect_contains(message, "embed_tokens");
}

}  // namespace
}  // namespace palimpsest::lab
